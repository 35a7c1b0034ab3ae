/** Removes the port that some proxies append to an address, as in 192.0.2.1:443 and [2001:db8::1]:443. */
export function stripPort(address: string): string {
  const [, ipv6, ipv4] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(address) ?? []
  return ipv6 ?? ipv4 ?? address
}
