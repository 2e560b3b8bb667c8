package dev.fairlead.money.usage;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.money.usage.ledger.UseDimension;
import dev.fairlead.money.usage.ledger.UseKey;
import dev.fairlead.money.usage.ledger.UseKind;
import dev.fairlead.people.tenant.TenantId;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Use of on-demand capacity that reserved capacity could have served in the same hour. It is
 * computed from the sums of that hour, which record how long GPUs were free, but not when they were
 * free or whether a gang would have fitted. The servable amount is therefore an upper bound.
 *
 * <p>Free time is distributed once. The time of a tenant's own pools goes to the tenant, and shared
 * time to all tenants in proportion to their remaining need, first in the cluster of the usage,
 * then elsewhere.
 */
public final class Spill {
  /** The tenant and its usage, with the cause. */
  public record Key(TenantId tenant, Flavor flavor, SpillCause cause) implements Comparable<Key> {
    private static final Comparator<Key> ORDER =
        Comparator.comparing((Key k) -> k.tenant.value())
            .thenComparing(Key::flavor)
            .thenComparing(Key::cause);

    /** Its key in the ledger. */
    UseKey fact() {
      return UseKey.of(UseKind.SPILL)
          .with(UseDimension.TENANT, tenant)
          .with(flavor)
          .with(UseDimension.DETAIL, cause.name());
    }

    @Override
    public int compareTo(Key other) {
      return ORDER.compare(this, other);
    }
  }

  private final List<Claim> claims = new ArrayList<>();
  private final List<Supply> free = new ArrayList<>();
  private final List<Supply> out = new ArrayList<>();

  private Spill(HourSums sums) {
    Map<Use, Long> uses = new LinkedHashMap<>();
    sums.used()
        .forEach((owner, amount) ->
            uses.merge(
                new Use(owner.tenant(), owner.cluster(), owner.flavor()), amount, Long::sum));
    uses.forEach(this::claim);
    sums.fleet().forEach(this::supply);
  }

  private record Use(TenantId tenant, @Nullable ClusterId cluster, Flavor flavor) {}

  /** A use that may still need capacity. */
  private static final class Claim {
    private final Use use;
    private final Map<SpillCause, Long> parts = new EnumMap<>(SpillCause.class);
    private long rest;

    private Claim(Use use, long amount) {
      this.use = use;
      this.rest = amount;
    }

    private void take(long amount, SpillCause cause) {
      parts.merge(cause, amount, Long::sum);
      rest -= amount;
    }
  }

  /** Reserved GPU time that is not distributed yet. */
  private static final class Supply {
    private final FleetPart part;
    private long rest;

    private Supply(FleetPart part, long amount) {
      this.part = part;
      this.rest = amount;
    }

    private boolean serves(Claim claim, boolean own, boolean here) {
      return part.model().equals(claim.use.flavor().model())
          && Objects.equals(part.owner(), own ? claim.use.tenant() : null)
          && (!here || part.cluster().equals(claim.use.cluster()));
    }
  }

  /**
   * Sums by tenant, flavor and cause, in thousandths of a GPU times milliseconds. All values are
   * above zero.
   */
  public static SortedMap<Key, Long> of(HourSums sums) {
    Spill spill = new Spill(sums);
    spill.divide();
    SortedMap<Key, Long> all = new TreeMap<>();
    for (Claim claim : spill.claims) {
      claim.parts.forEach((cause, amount) ->
          all.merge(new Key(claim.use.tenant(), claim.use.flavor(), cause), amount, Long::sum));
    }
    return all;
  }

  private void claim(Use use, long amount) {
    if (use.flavor().capacity() != CapacityType.RESERVED && amount > 0) {
      claims.add(new Claim(use, amount));
    }
  }

  private void supply(FleetPart part, Map<UsageBucket, Long> buckets) {
    if (part.capacity() != CapacityType.RESERVED) {
      return;
    }
    free.add(new Supply(part, buckets.getOrDefault(UsageBucket.FREE, 0L)));
    out.add(
        new Supply(
            part,
            buckets.getOrDefault(UsageBucket.SICK, 0L)
                + buckets.getOrDefault(UsageBucket.MAINTENANCE, 0L)));
  }

  private void divide() {
    for (boolean own : new boolean[] {true, false}) {
      give(free, own, true, SpillCause.FREE_IN_CLUSTER);
      give(free, own, false, SpillCause.FREE_ELSEWHERE);
    }
    give(out, true, false, SpillCause.OUT_OF_SERVICE);
    give(out, false, false, SpillCause.OUT_OF_SERVICE);
    for (Claim claim : claims) {
      if (claim.rest > 0) {
        claim.take(claim.rest, unserved(claim));
      }
    }
  }

  private void give(List<Supply> supplies, boolean own, boolean here, SpillCause cause) {
    for (Supply supply : supplies) {
      Predicate<Claim> served = claim -> supply.serves(claim, own, here);
      supply.rest -= given(supply.rest, claims.stream().filter(served).toList(), cause);
    }
  }

  /** Rounds each share down and adds the remainder to the first. */
  private static long given(long supply, List<Claim> claims, SpillCause cause) {
    long wanted = claims.stream().mapToLong(claim -> claim.rest).sum();
    long amount = Math.min(supply, wanted);
    if (amount == 0) {
      return 0;
    }
    long left = amount;
    List<Claim> unfilled = new ArrayList<>();
    for (Claim claim : claims) {
      long share =
          BigInteger.valueOf(claim.rest)
              .multiply(BigInteger.valueOf(amount))
              .divide(BigInteger.valueOf(wanted))
              .longValueExact();
      if (share > 0) {
        claim.take(share, cause);
      }
      left -= share;
      if (claim.rest > 0) {
        unfilled.add(claim);
      }
    }
    for (Claim claim : unfilled.subList(0, Math.toIntExact(left))) {
      claim.take(1, cause);
    }
    return amount;
  }

  private SpillCause unserved(Claim claim) {
    boolean its =
        free.stream().anyMatch(s -> s.serves(claim, true, false) || s.serves(claim, false, false));
    if (its) {
      return SpillCause.FULL;
    }
    return free.stream().anyMatch(s -> s.part.model().equals(claim.use.flavor().model()))
        ? SpillCause.OF_OTHERS
        : SpillCause.NO_SUCH_MODEL;
  }

  /** Reserved GPUs of one model, for one tenant or for all. */
  public record Reserved(@Nullable TenantId owner, String model, UsageBucket bucket)
      implements Comparable<Reserved> {
    private static final Comparator<Reserved> ORDER =
        Comparator.comparing((Reserved r) -> r.owner == null ? "" : r.owner.text())
            .thenComparing(Reserved::model)
            .thenComparing(Reserved::bucket);

    /** Its key in the ledger. */
    UseKey fact() {
      return UseKey.of(UseKind.RESERVED)
          .with(UseDimension.TENANT, owner)
          .with(UseDimension.MODEL, model)
          .with(UseDimension.DETAIL, bucket.name());
    }

    @Override
    public int compareTo(Reserved other) {
      return ORDER.compare(this, other);
    }
  }

  /** The time of reserved GPUs, in thousandths of a GPU times milliseconds. */
  public static SortedMap<Reserved, Long> reserved(HourSums sums) {
    SortedMap<Reserved, Long> all = new TreeMap<>();
    sums.fleet()
        .forEach((part, buckets) -> {
          if (part.capacity() == CapacityType.RESERVED) {
            buckets.forEach((bucket, amount) ->
                all.merge(new Reserved(part.owner(), part.model(), bucket), amount, Long::sum));
          }
        });
    return all;
  }
}
