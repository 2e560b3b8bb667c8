package dev.fairlead.bench.cases;

import dev.fairlead.placement.deserved.SharedClaim;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Device pools of the nodes of a case, and the claims that its tasks share. */
final class Claims {
  /** Users of one claim at once, the bound of {@code status.reservedFor} in Kubernetes. */
  private static final int MOST_USERS = 256;

  private final SortedMap<String, SharedClaim> claims = new TreeMap<>();
  private final List<Value> pools;

  Claims(Value cluster) {
    pools = cluster.get("device_pools").list();
    for (Value claim : cluster.get("device_claims").list()) {
      claims.put(
          claim.get("name").text(),
          new SharedClaim(
              devices(claim),
              QuotaCase.amount(claim.get("count").count(1)),
              MOST_USERS,
              claim.get("reserved_by").count(0)));
    }
  }

  private static String devices(Value row) {
    return "devices of " + row.get("class").text("");
  }

  /** Base units of devices by the name under which claims ask for them. */
  SortedMap<String, Long> devicesOf(String node) {
    SortedMap<String, Long> devices = new TreeMap<>();
    for (Value pool : pools) {
      if (pool.get("node").text("").equals(node)) {
        devices.merge(devices(pool), QuotaCase.amount(pool.get("count").count(1)), Long::sum);
      }
    }
    return devices;
  }

  /** The claims of a task; one that does not exist can never be had. */
  List<SharedClaim> of(Value task) {
    List<SharedClaim> all = new ArrayList<>();
    for (String name : task.get("device_claims").texts()) {
      SharedClaim claim = claims.get(name);
      all.add(claim == null ? new SharedClaim("", 1, 0, 0) : claim);
    }
    return all;
  }
}
