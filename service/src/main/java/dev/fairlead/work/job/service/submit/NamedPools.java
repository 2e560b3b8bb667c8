package dev.fairlead.work.job.service.submit;

import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolStore;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.spec.JobSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Pools that the jobs of one request name, read at most once. Not thread-safe. */
final class NamedPools {
  private final PoolStore pools;
  private final TenantId tenant;
  private @Nullable List<String> names;

  NamedPools(PoolStore pools, TenantId tenant) {
    this.pools = pools;
    this.tenant = tenant;
  }

  /**
   * @throws Refusal INVALID_FIELD for a pool that the tenant may not use, or that does not exist
   */
  void known(JobSpec spec) {
    List<String> wanted = spec.placement().pools();
    if (!wanted.isEmpty()) {
      known(wanted, names());
    }
  }

  private List<String> names() {
    List<String> read = names;
    if (read == null) {
      read = pools.pools(tenant).stream().map(Pool::name).toList();
      names = read;
    }
    return read;
  }

  private static void known(List<String> wanted, List<String> there) {
    for (int i = 0; i < wanted.size(); i++) {
      String name = wanted.get(i);
      if (!there.contains(name)) {
        String shown =
            there.isEmpty()
                ? "No pools exist. Remove placement.pools."
                : "Pools: " + String.join(", ", there) + ".";
        throw Refusal.field(
            "/placement/pools/" + i,
            "There is no pool \"%s\". %s".formatted(name, shown),
            there.isEmpty() ? null : there.getFirst());
      }
    }
  }
}
