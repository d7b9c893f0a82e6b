import os, sys
root = os.environ.get('CLAUDE_PLUGIN_ROOT')
sys.path.insert(0, root)
from core.rule_engine import RuleEngine
sys.exit(RuleEngine().code())
