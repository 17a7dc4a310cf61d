"""What this machine is: facts only, no judgement."""
