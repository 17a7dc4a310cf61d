"""Windows' own interfaces, each behind one seam. Importable everywhere, called only there."""
