package dev.fairlead.loop;

import dev.fairlead.event.WakeUps;
import dev.fairlead.lease.LeaseStore;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Leases and loops of this process. */
@Configuration(proxyBeanMethods = false)
class LoopConfiguration {
  private static final Logger LOG = LoggerFactory.getLogger(LoopConfiguration.class);

  @Bean
  LeaseTimes leaseTimes(
      @Value("${fairlead.lease.duration:30s}") Duration duration,
      @Value("${fairlead.lease.renew:10s}") Duration renew,
      @Value("${fairlead.lease.self-stop:20s}") Duration selfStop) {
    return new LeaseTimes(duration, renew, selfStop);
  }

  @Bean
  Leases leases(
      LeaseStore store,
      LeaseTimes times,
      @Value("${fairlead.installation.raise-incarnation-from:0}") int raiseFrom) {
    if (raiseFrom > 0 && store.raiseIncarnation(raiseFrom)) {
      LOG.warn("this database is declared to be the live one: incarnation {}", raiseFrom + 1);
    }
    String holder =
        "process-" + ProcessHandle.current().pid() + "-" + Long.toHexString(System.nanoTime());
    return new Leases(store, times, System::nanoTime, holder);
  }

  @Bean
  LoopThreads loopThreads(WakeUps wakeUps, MeterRegistry metrics) {
    return new LoopThreads(wakeUps, metrics, System::nanoTime);
  }

  @Bean
  LoopRunner loopRunner(
      List<Loop> loops,
      LoopThreads threads,
      Leases leases,
      MeterRegistry metrics,
      @Value("${fairlead.roles:api,scheduler,supervisor,relay}") Set<String> roles) {
    return new LoopRunner(loops, roles, threads, new LeaseRenewer(leases, metrics));
  }
}
