"""What in those settings breaks an install or makes it unsafe. Rules only; the data are rows."""
