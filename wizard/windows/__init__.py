"""Windows' own interfaces, each behind one seam: functions of its libraries, the registry, job objects, a message box.

Nothing here decides anything. Each part takes the library or registry that it talks to, so that its use is tested
where there is no Windows (docs/windows.md says what that proves, and what it does not).
"""
