class RuleEngine:
    def code(self):
        return 2
