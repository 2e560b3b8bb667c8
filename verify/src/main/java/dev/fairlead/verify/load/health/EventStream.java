package dev.fairlead.verify.load.health;

import dev.fairlead.care.health.FaultScope;
import dev.fairlead.care.health.Xid;
import dev.fairlead.care.health.XidTable;
import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.verify.Clients;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import tools.jackson.databind.node.ObjectNode;

/**
 * Monitors that send the next report after each response, each for separate devices. Like most
 * events of a fleet, the events isolate nothing.
 */
final class EventStream {
  private static final int MONITORS = 2;
  private static final int BATCH = 500;
  private static final int WARM_UP = 20;

  private static final List<Integer> CODES =
      XidTable.SHIPPED.all().stream()
          .filter(xid -> xid.scope() == FaultScope.NONE && xid.code() < XidTable.DCGM)
          .map(Xid::code)
          .toList();

  private final FairleadApi api;
  private final String cluster;
  private final List<KnownDevices.Known> devices;
  private final AtomicInteger numbers = new AtomicInteger();

  EventStream(FairleadApi api, String cluster, List<KnownDevices.Known> devices) {
    this.api = api;
    this.cluster = cluster;
    this.devices = devices;
  }

  /**
   * Stores each event as a separate row, up to {@code devices x CODES}: each pair of device and
   * code occurs once.
   *
   * @return events stored a second
   */
  double distinct(Duration time) throws InterruptedException {
    return measured(time, devices.size() / MONITORS, CODES);
  }

  /**
   * Simulates programs that crash in a loop: a batch has an event of each of several devices, and
   * later events are counted in the row of the first.
   *
   * @return events taken a second
   */
  double repeated(Duration time) throws InterruptedException {
    return measured(time, BATCH, CODES.subList(0, 1));
  }

  private double measured(Duration time, int each, List<Integer> codes)
      throws InterruptedException {
    List<Monitor> monitors =
        IntStream.range(0, MONITORS).mapToObj(i -> new Monitor(i, each, codes)).toList();
    AtomicInteger next = new AtomicInteger();
    Clients.each(
        MONITORS,
        MONITORS,
        () -> {
          Monitor mine = monitors.get(next.getAndIncrement());
          IntStream.range(0, WARM_UP).forEach(i -> mine.batch());
        });
    next.set(0);
    AtomicInteger batches = new AtomicInteger();
    long start = System.nanoTime();
    long until = start + time.toNanos();
    Clients.each(
        MONITORS,
        MONITORS,
        () -> {
          Monitor mine = monitors.get(next.getAndIncrement());
          while (System.nanoTime() < until) {
            mine.batch();
            batches.incrementAndGet();
          }
        });
    return batches.get() * BATCH * 1e9 / (System.nanoTime() - start);
  }

  /** Reports of one part of the devices, in turn, one code after the other. */
  private final class Monitor {
    private final int which;
    private final int each;
    private final List<Integer> codes;
    private int at;

    Monitor(int which, int each, List<Integer> codes) {
      this.which = which;
      this.each = Math.min(each, devices.size() / MONITORS);
      this.codes = codes;
    }

    void batch() {
      List<ObjectNode> events = new ArrayList<>();
      for (int i = 0; i < BATCH; i++, at++) {
        KnownDevices.Known device = devices.get(at % each * MONITORS + which);
        events.add(
            Reports.event(
                "stream-" + numbers.incrementAndGet(),
                device.node(),
                device.uuid(),
                codes.get(at / each % codes.size())));
      }
      Reports.post(api, cluster, events);
    }
  }
}
