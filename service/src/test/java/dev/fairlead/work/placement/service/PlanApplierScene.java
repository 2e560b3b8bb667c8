package dev.fairlead.work.placement.service;

import dev.fairlead.e2e.ServiceParts;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.EvictionRight;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.placement.Plan;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.spec.WarmMember;
import dev.fairlead.work.world.Members;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;

/** A world with two nodes and an applier of plans. */
abstract class PlanApplierScene {

  final MemoryStores stores = MemoryStores.empty(1);
  final TestWorld world = TestWorld.in(stores);
  final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
  final JobWriter writer = new JobWriter(stores.jobs(), stores.explanations(), t -> {});
  final PlanApplier applier = applier(stores.jobs());
  final HeldLease lease = stores.leases().create("scheduler", "me").orElseThrow();

  Decision.Place on(String node, Job job, Reservation... taken) {
    List<Member> members = Members.of(job.spec(), List.of(world.node(node)), CapacityType.RESERVED);
    return new Decision.Place(
        job.id(), job.version(), 0, world.cluster().id(), members, List.of(taken), List.of(), null);
  }

  PlanApplier applier(JobStore jobs) {
    return ServiceParts.applier(stores, jobs, writer, metrics);
  }

  int apply(Decision... decisions) {
    return applier.apply(lease, plan(decisions), List.of()).dropped();
  }

  Plan plan(Decision... decisions) {
    return Plan.of(world.now(), List.of(decisions), new TreeMap<>(), List.of());
  }

  static Stream<Throwable> failures() {
    return Stream.of(new IllegalStateException("broken"), new StackOverflowError());
  }

  Decision.Preempt takes(Job needs, Attempt... victims) {
    List<Decision.Preempt.Eviction> told =
        Stream.of(victims)
            .map(v ->
                new Decision.Preempt.Eviction(
                    v.id(),
                    v.job(),
                    EvictionRight.WITHIN_QUEUE,
                    List.of(),
                    WarmMember.is(stores.jobs().findAll(List.of(v.job())).getFirst().spec())))
            .toList();
    Reservation place =
        new Reservation(
            needs.id(),
            0,
            Reservation.Kind.PREEMPTION,
            world.cluster().id(),
            Members.of(needs.spec(), List.of(world.node("node-2")), CapacityType.RESERVED),
            Stream.of(victims).map(Attempt::id).toList(),
            world.now(),
            null,
            world.now().plusSeconds(600));
    return new Decision.Preempt(needs.id(), needs.version(), told, place, List.of(), List.of());
  }
}
