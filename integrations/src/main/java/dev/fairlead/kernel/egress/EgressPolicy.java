package dev.fairlead.kernel.egress;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/**
 * Decides which addresses Fairlead may connect to for a user: public unicast addresses, and those
 * that the operator lists in a setting, such as {@code fairlead.egress.allow}. Loopback, link-local
 * (including the clouds' metadata service), private and reserved addresses are refused.
 */
public final class EgressPolicy {
  /**
   * All IPv4 addresses except public unicast
   * (https://www.iana.org/assignments/iana-ipv4-special-registry), and 168.63.129.16, the host of
   * an Azure machine, which exposes its secrets
   * (https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16).
   */
  private static final List<Cidr> SPECIAL_V4 =
      cidrs(
          "0.0.0.0/8",
          "10.0.0.0/8",
          "100.64.0.0/10",
          "127.0.0.0/8",
          "168.63.129.16/32",
          "169.254.0.0/16",
          "172.16.0.0/12",
          "192.0.0.0/24",
          "192.0.2.0/24",
          "192.88.99.0/24",
          "192.168.0.0/16",
          "198.18.0.0/15",
          "198.51.100.0/24",
          "203.0.113.0/24",
          "224.0.0.0/3");

  private static final List<Cidr> PUBLIC_V6 = cidrs("2000::/3");

  /**
   * Inside {@code 2000::/3}: Teredo and others, documentation, 6to4. They contain or represent
   * other addresses.
   */
  private static final List<Cidr> SPECIAL_V6 =
      cidrs("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20");

  private final List<Cidr> allowed;
  private final HostLookup lookup;
  private final String setting;

  public EgressPolicy(List<Cidr> allowed, HostLookup lookup) {
    this("fairlead.egress.allow", allowed, lookup);
  }

  private EgressPolicy(String setting, List<Cidr> allowed, HostLookup lookup) {
    this.setting = setting;
    this.allowed = List.copyOf(allowed);
    this.lookup = lookup;
  }

  /**
   * Reads the ranges of a setting.
   *
   * @throws IllegalArgumentException for a text that is not an address range, with the setting
   */
  public static EgressPolicy of(String setting, List<String> ranges, HostLookup lookup) {
    List<Cidr> allowed = new ArrayList<>();
    for (String range : ranges) {
      try {
        allowed.add(Cidr.parse(range));
      } catch (IllegalArgumentException wrong) {
        throw new IllegalArgumentException(setting + " holds " + wrong.getMessage());
      }
    }
    return new EgressPolicy(setting, allowed, lookup);
  }

  /** A refused host. The message is human-readable and names no resolved address. */
  public static final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    Refused(String message) {
      super(message);
    }
  }

  /**
   * Returns all addresses of the host if each of them is allowed. Connect to one of these addresses
   * rather than the name, because a second lookup may return others.
   */
  public List<InetAddress> resolve(String host) throws Refused {
    List<InetAddress> addresses;
    try {
      addresses = lookup.addresses(host);
    } catch (UnknownHostException e) {
      throw new Refused("the host " + host + " cannot be resolved");
    }
    if (addresses.isEmpty() || !addresses.stream().allMatch(this::allows)) {
      throw new Refused(
          "the host "
              + host
              + " resolves to an address that is loopback, link-local, private or reserved. An"
              + " operator can allow ranges in "
              + setting);
    }
    return addresses;
  }

  boolean allows(InetAddress address) {
    return in(allowed, address) || isPublic(address);
  }

  private static boolean isPublic(InetAddress address) {
    return address.getAddress().length == 4
        ? !in(SPECIAL_V4, address)
        : in(PUBLIC_V6, address) && !in(SPECIAL_V6, address);
  }

  private static boolean in(List<Cidr> ranges, InetAddress address) {
    return ranges.stream().anyMatch(range -> range.contains(address));
  }

  static List<Cidr> cidrs(String... ranges) {
    return List.of(ranges).stream().map(Cidr::parse).toList();
  }
}
