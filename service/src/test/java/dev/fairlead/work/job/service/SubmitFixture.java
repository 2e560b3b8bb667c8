package dev.fairlead.work.job.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.e2e.ServiceParts;
import dev.fairlead.fleet.limit.Limit;
import dev.fairlead.fleet.limit.LimitBook;
import dev.fairlead.fleet.limit.SetLimits;
import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.query.Submitted;
import dev.fairlead.work.job.service.spi.WarmMembers;
import dev.fairlead.work.job.service.submit.NewJob;
import dev.fairlead.work.job.store.JobFilter;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.job.submit.FeasibilityCheck;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A project, a user, and the job commands on in-memory stores. */
abstract class SubmitFixture {
  final MemoryStores stores = MemoryStores.empty(1);
  final TestWorld world = TestWorld.in(stores);
  final Actor ana = new Actor(world.tenant().id(), "ana", Role.TENANT_MEMBER);
  final JobCommands commands = commands(stores.transactions());

  JobCommands commands(Transactions transactions) {
    return commands(transactions, () -> spec -> List.of("never fits"));
  }

  JobCommands commands(Transactions transactions, FeasibilityCheck feasibility) {
    return commands(transactions, feasibility, stores.ids());
  }

  JobCommands commands(Transactions transactions, FeasibilityCheck feasibility, IdSource ids) {
    return new JobCommands(
        transactions,
        stores.jobs(),
        new JobWriter(stores.jobs(), stores.explanations(), t -> {}),
        ServiceParts.rules(stores, stores.jobs(), stores.pools(), this::limits, feasibility),
        new Idempotency(stores.idempotency()),
        WarmMembers.NONE,
        stores.audit(),
        ids);
  }

  void limit(@Nullable Project project, long activeJobs) {
    world.limit(project, Map.of(Limit.ACTIVE_JOBS, activeJobs));
  }

  /** As a replica reads them. */
  LimitBook limits() {
    return new LimitBook(stores.configs().all(SetLimits.DOCUMENTS), 0);
  }

  static NewJob named(String name) {
    return new NewJob(Specs.job(name).build());
  }

  Submitted submit(String name, RequestKey key) {
    return commands.submit(ana, world.project().name(), named(name), key, false);
  }

  long stored() {
    return stores
        .jobs()
        .list(
            new JobFilter(
                ana.tenant(),
                null,
                List.of(),
                List.of(),
                null,
                null,
                new TreeMap<>(),
                null,
                null,
                JobFilter.Order.NEWEST,
                null,
                500))
        .jobs()
        .size();
  }

  static void assertRefused(
      org.assertj.core.api.ThrowableAssert.ThrowingCallable call, ProblemCode code) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(Refusal.class, r -> assertThat(r.code()).isEqualTo(code));
  }
}
