"""The network: addresses, proxies, certificates, one HTTP client, downloads."""
