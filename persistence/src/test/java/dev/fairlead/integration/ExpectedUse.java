package dev.fairlead.integration;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.Member;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The expected usage records, stored separately: holder, share, GPU, start and end by a monotonic
 * clock of each GPU, and the times at which each node was out of service.
 */
final class ExpectedUse {
  private static final int EIGHTH = 125;

  private record Use(String label, String node, long from, long to, int milli) {}

  private record Out(String node, long from, long to) {}

  private final Map<String, Long> booked = new HashMap<>();
  private final Map<String, Long> since = new HashMap<>();
  private final Map<String, Long> outSince = new HashMap<>();
  private final List<Use> uses = new ArrayList<>();
  private final List<Use> slices = new ArrayList<>();
  private final List<Out> outs = new ArrayList<>();

  /**
   * The attempt holds new resources and has released its earlier resources.
   *
   * @param label that it had when it started, empty if none
   */
  void changed(String label, List<Member> before, Attempt after, long nowMillis) {
    List<Member> now = after.live() ? after.members() : List.of();
    for (Member member : before) {
      if (now.stream().noneMatch(m -> m.key().equals(member.key()))) {
        String key = after.id() + member.key();
        long from = since.remove(key);
        long to = Math.max(from, at(member, nowMillis));
        String node = member.nodeName();
        member.gpus().forEach(g -> uses.add(new Use(label, node, from, to, g.milli())));
        member
            .request()
            .extended()
            .values()
            .forEach(n -> slices.add(new Use(label, node, from, to, (int) (n * EIGHTH))));
      }
    }
    for (Member member : now) {
      if (before.stream().noneMatch(m -> m.key().equals(member.key()))) {
        since.put(after.id() + member.key(), at(member, nowMillis));
      }
    }
  }

  private long at(Member member, long nowMillis) {
    long at = nowMillis;
    for (GpuShare share : member.gpus()) {
      at = Math.max(at, booked.getOrDefault(share.serial(), 0L));
    }
    for (GpuShare share : member.gpus()) {
      booked.put(share.serial(), at);
    }
    return at;
  }

  /** A sample at this time sees the node in use, unhealthy or in maintenance. */
  void seen(String node, boolean out, long atMillis) {
    if (out) {
      outSince.putIfAbsent(node, atMillis);
    } else if (outSince.containsKey(node)) {
      outs.add(new Out(node, outSince.remove(node), atMillis));
    }
  }

  /** Thousandths of GPUs times milliseconds that projects are charged between two moments. */
  long charged(long from, long to) {
    return inUse(uses, from, to) + inUse(slices, from, to);
  }

  /** The part of the use with the label. */
  long charged(String label, long from, long to) {
    return inUse(with(label, uses), from, to) + inUse(with(label, slices), from, to);
  }

  private static List<Use> with(String label, List<Use> of) {
    return of.stream().filter(use -> use.label.equals(label)).toList();
  }

  /** Time that members held slices of nodes, regardless of the state of the nodes. */
  long slices(long from, long to) {
    return slices.stream()
        .mapToLong(use -> use.milli * Math.max(0, Math.min(to, use.to) - Math.max(from, use.from)))
        .sum();
  }

  private long inUse(List<Use> of, long from, long to) {
    long sum = 0;
    for (Use use : of) {
      long begin = Math.max(from, use.from);
      long end = Math.min(to, use.to);
      long held = Math.max(0, end - begin);
      for (Out out : outs) {
        if (out.node.equals(use.node)) {
          held -= Math.max(0, Math.min(end, out.to) - Math.max(begin, out.from));
        }
      }
      sum += held * use.milli;
    }
    return sum;
  }
}
