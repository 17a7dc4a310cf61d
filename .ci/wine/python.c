/* python.exe and pythonw.exe as python.org makes them: all is in python313.dll beside it. */
#include <windows.h>

int __cdecl Py_Main(int, wchar_t **);

int wmain(int count, wchar_t **arguments) { return Py_Main(count, arguments); }
