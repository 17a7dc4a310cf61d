/* A stand-in for libnvidia-ml.so.1 with two cards, for tests of the child that talks to it.
   FAKE_NVML picks a misfortune. nvmlDeviceGetUUID is missing on purpose: old libraries lack functions. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct { char legacy[16]; unsigned domain, bus, device, id, subsystem; char bus_id[32]; } Pci;
typedef struct { unsigned long long total, available, used; } Memory;

static int is(const char *name) { const char *set = getenv("FAKE_NVML"); return set && !strcmp(set, name); }
static int is_part(void *card) { return (long)card >= 100; } /* an instance of MIG */
static long index_of(void *card) { return (long)card - 1; }

int nvmlInitWithFlags(unsigned flags) {
    (void)flags;
    if (is("hang")) for (;;) sleep(60);
    if (is("crash")) abort();
    return is("mismatch") ? 18 : is("unloaded") ? 9 : is("strange") ? 999 : 0;
}
int nvmlSystemGetDriverVersion(char *text, unsigned size) { strncpy(text, "580.65.06", size); return 0; }
int nvmlSystemGetCudaDriverVersion_v2(int *version) { *version = 13000; return is("old") ? 13 : 0; }
int nvmlSystemGetCudaDriverVersion(int *version) { *version = 10010; return 0; }
int nvmlDeviceGetCount_v2(unsigned *count) { *count = is("empty") ? 0 : 2; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **card) {
    *card = (void *)(long)(index + 1);
    return index == 1 && is("lost") ? 15 : 0;
}
int nvmlDeviceGetName(void *card, char *text, unsigned size) {
    if (is_part(card)) { strncpy(text, "NVIDIA A100-SXM4-40GB MIG 1g.5gb", size); return 0; }
    strncpy(text, index_of(card) ? "NVIDIA GeForce RTX 5060 Ti" : "NVIDIA GeForce GTX 1660 Ti", size);
    return 0;
}
int nvmlDeviceGetPciInfo_v3(void *card, Pci *pci) {
    memset(pci, 0, sizeof *pci);
    pci->id = index_of(card) ? 0x2d0410de : 0x218210de;
    strcpy(pci->bus_id, index_of(card) ? "00000000:41:00.0" : "00000000:01:00.0");
    return 0;
}
int nvmlDeviceGetMemoryInfo(void *card, Memory *memory) {
    memory->total = is_part(card) ? 5242880000ULL : 6442450944ULL;
    return index_of(card) && !is_part(card) ? 3 : 0;
}
int nvmlDeviceGetFanSpeed(void *card, unsigned *percent) {
    *percent = 30;
    return is("passive") ? 3 : is("silent") && !index_of(card) ? 999 : 0; /* NOT_SUPPORTED, UNKNOWN */
}
int nvmlDeviceGetPowerUsage(void *card, unsigned *milliwatts) {
    *milliwatts = 9000;
    return is("silent") && !index_of(card) ? 999 : 0;
}
int nvmlDeviceGetMigMode(void *card, unsigned *now, unsigned *later) {
    (void)card;
    *now = *later = is("mig") || is("mig-empty");
    return 0;
}
int nvmlDeviceGetMaxMigDeviceCount(void *card, unsigned *count) { (void)card; *count = 7; return 0; }
int nvmlDeviceGetMigDeviceHandleByIndex(void *card, unsigned index, void **part) {
    (void)card;
    *part = (void *)(long)(100 + index);
    return is("mig") && index < 2 ? 0 : 6; /* NOT_FOUND */
}
int nvmlDeviceGetCudaComputeCapability(void *card, int *major, int *minor) {
    *major = index_of(card) ? 12 : 7;
    *minor = index_of(card) ? 0 : 5;
    return 0;
}
