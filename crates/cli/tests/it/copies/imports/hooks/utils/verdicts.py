import sys
def block():
    sys.exit(2)
