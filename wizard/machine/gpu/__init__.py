"""Graphics cards by every witness: NVML, nvidia-smi, the PCI bus, Windows."""
