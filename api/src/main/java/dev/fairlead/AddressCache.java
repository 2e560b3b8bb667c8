package dev.fairlead;

import java.security.Security;

/**
 * Time for which the JVM caches the addresses of host names. Its defaults are 30 s, and 10 s for a
 * name without an address. The name of a model version has an address only while a replica is
 * ready, and another one after each start, so a gate would wait for addresses that exist, or
 * connect to pods that have ended.
 */
final class AddressCache {
  /** Time to live in cluster DNS, in seconds. */
  private static final String KNOWN = "5";

  private static final String UNKNOWN = "1";

  private AddressCache() {}

  /** Works only before the first lookup of the process. */
  static void shorten() {
    Security.setProperty("networkaddress.cache.ttl", KNOWN);
    Security.setProperty("networkaddress.cache.negative.ttl", UNKNOWN);
  }
}
