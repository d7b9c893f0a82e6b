import sys
from utils.verdicts import block
block()
