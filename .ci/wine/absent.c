/* Calls that Qt makes and Wine 10 lacks. Each answers 0: there is no converter, there is no colour profile. */
#define ABSENT(name) __declspec(dllexport) void *name(void) { return 0; }

#ifdef icuuc
ABSENT(ucnv_open) ABSENT(ucnv_close) ABSENT(ucnv_reset) ABSENT(ucnv_getMaxCharSize) ABSENT(ucnv_getName)
ABSENT(ucnv_getStandardName) ABSENT(ucnv_getAvailableName) ABSENT(ucnv_countAvailable)
ABSENT(ucnv_toUnicode) ABSENT(ucnv_toUCountPending) ABSENT(ucnv_getToUCallBack) ABSENT(ucnv_setToUCallBack)
ABSENT(ucnv_fromUnicode) ABSENT(ucnv_fromUCountPending) ABSENT(ucnv_getFromUCallBack) ABSENT(ucnv_setFromUCallBack)
ABSENT(ucnv_cbToUWriteUChars) ABSENT(ucnv_cbFromUWriteUChars)
ABSENT(UCNV_TO_U_CALLBACK_SUBSTITUTE) ABSENT(UCNV_FROM_U_CALLBACK_SUBSTITUTE)
#endif

#ifdef mscms
ABSENT(OpenColorProfileW) ABSENT(CloseColorProfile) ABSENT(GetColorProfileFromHandle) ABSENT(GetColorDirectoryW)
ABSENT(WcsCreateIccProfile) ABSENT(WcsOpenColorProfileW) ABSENT(WcsGetUsePerUserProfiles)
ABSENT(WcsGetDefaultColorProfile) ABSENT(WcsGetDefaultColorProfileSize)
#endif
