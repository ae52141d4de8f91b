"""From clips to identified parameters: clips -> films -> latent -> law -> evaluation -> audit -> run folder.

torch, av and matplotlib are imported below this package only.
"""
