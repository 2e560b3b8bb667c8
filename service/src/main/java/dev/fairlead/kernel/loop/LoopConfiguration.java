package dev.fairlead.kernel.loop;

import dev.fairlead.kernel.lease.LeaseStore;
import dev.fairlead.work.event.WakeUps;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Leases and loops of this process. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties({
  LeaseTimes.class,
  LoopTimes.class,
  ProcessSettings.class,
  InstallationSettings.class
})
class LoopConfiguration {
  private static final Logger LOG = LoggerFactory.getLogger(LoopConfiguration.class);

  @Bean
  MonotonicClock monotonicClock() {
    return System::nanoTime;
  }

  @Bean
  Leases leases(
      LeaseStore store, LeaseTimes times, MonotonicClock clock, InstallationSettings installation) {
    int raiseFrom = installation.raiseIncarnationFrom();
    if (raiseFrom > 0 && store.raiseIncarnation(raiseFrom)) {
      LOG.warn("this database is declared to be the active one: incarnation {}", raiseFrom + 1);
    }
    String holder =
        "process-" + ProcessHandle.current().pid() + "-" + Long.toHexString(System.nanoTime());
    return new Leases(store, times, clock, holder);
  }

  @Bean
  LoopThreads loopThreads(WakeUps wakeUps, MeterRegistry metrics, MonotonicClock clock) {
    return new LoopThreads(wakeUps, metrics, clock);
  }

  @Bean
  LoopRunner loopRunner(
      List<Loop> loops,
      LoopThreads threads,
      Leases leases,
      MeterRegistry metrics,
      ProcessSettings process) {
    List<Loop> own = loops.stream().filter(loop -> process.runs(loop.role())).toList();
    return new LoopRunner(own, threads, new LeaseRenewer(leases, metrics));
  }
}
