"""``python -m identify``: the same program, for machines where ImageMagick owns the short name."""

from identify.command import main

if __name__ == "__main__":
    main()
