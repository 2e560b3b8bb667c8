package dev.fairlead.verify.simulation.data;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.verify.simulation.world.Area;
import dev.fairlead.verify.simulation.world.Fault;
import dev.fairlead.verify.simulation.world.Guard;
import dev.fairlead.verify.simulation.world.ProcessDied;
import dev.fairlead.work.job.service.JobSubmitCommands;
import dev.fairlead.work.job.service.spi.JobSubmits;
import dev.fairlead.work.spec.JobSpec;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/**
 * Submits the copiers of one process. Simulated nodes run no program, so annotations say how long
 * each copier runs and whether it fails. The process may end right after a submit.
 */
public final class Copiers implements JobSubmits {
  private final Area.Process process;
  private final JobSubmits real;
  private final RandomGenerator chance;
  private final BooleanSupplier faulty;
  private final Set<Guard> missing;

  Copiers(
      Area.Process process, RandomGenerator chance, BooleanSupplier faulty, Set<Guard> missing) {
    this.process = process;
    this.real = new JobSubmitCommands(process.commands(), process.control());
    this.chance = chance;
    this.faulty = faulty;
    this.missing = missing;
  }

  private JobSpec simulated(JobSpec spec) {
    JobSpec runs = spec.annotated("sim.fairlead.dev/run-for", 1 + chance.nextInt(20) + "s");
    if (!faulty.getAsBoolean() || chance.nextInt(4) != 0) {
      return runs;
    }
    JobSpec fails = runs.annotated("sim.fairlead.dev/outcome", "fail");
    return chance.nextBoolean() ? fails.annotated("sim.fairlead.dev/attempts", "1") : fails;
  }

  @Override
  public void check(Actor actor, String project, JobSpec spec) {
    real.check(actor, project, spec);
  }

  @Override
  public JobId submit(Actor actor, String project, JobSpec spec, String key) {
    return killed(real.submit(actor, project, simulated(spec), key));
  }

  /** Without the guard, the submit is a separate transaction. */
  @Override
  public Prepared prepared(Actor actor, String project, JobSpec spec) {
    if (missing.contains(Guard.COPIER_STORED)) {
      JobId job = real.prepared(actor, project, simulated(spec)).submit();
      return () -> killed(job);
    }
    Prepared prepared = real.prepared(actor, project, simulated(spec));
    return () -> killed(prepared.submit());
  }

  private JobId killed(JobId job) {
    if (process.life().faults().strikes(Fault.KILLED_BETWEEN)) {
      process.life().end("a submit of a copier");
      throw new ProcessDied("copier");
    }
    return job;
  }

  @Override
  public Optional<JobId> submitted(Actor actor, String key) {
    return real.submitted(actor, key);
  }

  @Override
  public void cancel(Actor actor, JobId job) {
    real.cancel(actor, job);
  }

  @Override
  public void suspend(Actor actor, JobId job, boolean back) {
    real.suspend(actor, job, back);
  }
}
