package dev.fairlead.verify.simulation;

import dev.fairlead.verify.simulation.care.DeviceArea;
import dev.fairlead.verify.simulation.care.SeriesArea;
import dev.fairlead.verify.simulation.data.DatabaseCopyArea;
import dev.fairlead.verify.simulation.data.TransferArea;
import dev.fairlead.verify.simulation.data.VolumeArea;
import dev.fairlead.verify.simulation.front.FrontArea;
import dev.fairlead.verify.simulation.front.InPlaceArea;
import dev.fairlead.verify.simulation.serving.KillsInRollouts;
import dev.fairlead.verify.simulation.serving.ServingArea;
import dev.fairlead.verify.simulation.serving.SleepArea;
import dev.fairlead.verify.simulation.work.BackendArea;
import dev.fairlead.verify.simulation.work.BudgetArea;
import dev.fairlead.verify.simulation.work.CheckArea;
import dev.fairlead.verify.simulation.work.CheckpointArea;
import dev.fairlead.verify.simulation.work.JobClients;
import dev.fairlead.verify.simulation.work.LicenceArea;
import dev.fairlead.verify.simulation.work.LogArea;
import dev.fairlead.verify.simulation.work.MaintenanceArea;
import dev.fairlead.verify.simulation.work.MoveBackArea;
import dev.fairlead.verify.simulation.work.NoticeArea;
import dev.fairlead.verify.simulation.work.PipelineArea;
import dev.fairlead.verify.simulation.work.RayArea;
import dev.fairlead.verify.simulation.work.ReleaseArea;
import dev.fairlead.verify.simulation.work.UsageArea;
import dev.fairlead.verify.simulation.work.WarmArea;
import dev.fairlead.verify.simulation.work.WindowArea;
import dev.fairlead.verify.simulation.world.Area;
import dev.fairlead.verify.simulation.world.DurableState;
import dev.fairlead.verify.simulation.world.FaultRates;
import dev.fairlead.verify.simulation.world.Guard;
import dev.fairlead.verify.simulation.world.VirtualTime;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** The areas of a run. Some have a separate generator, so that others draw the same without it. */
final class Areas {
  private static final long DEVICES = 0x5DEECE66DL;
  private static final long BACKENDS = 0x6261636b656e64L;
  private static final long WARM = 0x5741_524d;
  private static final long RAYS = 0x5241_5953;

  private Areas() {}

  /** All areas, unless a guard of something else is missing. */
  static List<Area> all(
      long seed,
      SplittableRandom its,
      VirtualTime time,
      DurableState durable,
      JobClients clients,
      FaultRates faults,
      Set<Guard> missing,
      @Nullable KillsInRollouts kills) {
    if (!missing.stream().allMatch(Guard::ofAreas)) {
      return List.of();
    }
    faults.ofAreas(its.split());
    UsageArea usage = new UsageArea(its.split(), time, durable, missing);
    SleepArea sleep = new SleepArea(new SplittableRandom(~seed), time, durable, missing);
    return List.of(
        usage,
        new FrontArea(its.split(), new SplittableRandom(~seed), time, durable, missing),
        new VolumeArea(its.split(), time, durable, missing),
        new LogArea(its.split(), time, durable, missing),
        new BudgetArea(its.split(), time, durable, usage.ledger(), missing),
        new LicenceArea(its.split(), durable, clients),
        new WindowArea(its.split(), time, durable, missing),
        new CheckArea(its.split(), time, durable, missing),
        new ReleaseArea(time, durable, clients),
        new MaintenanceArea(its.split(), time, durable, missing),
        new ServingArea(its.split(), time, durable, sleep, faults, missing, kills),
        new CheckpointArea(its.split(), time, durable, clients, missing),
        new TransferArea(its.split(), time, durable, missing),
        new MoveBackArea(its.split(), time, durable, clients, missing),
        new DatabaseCopyArea(its.split(), time, durable, faults, missing),
        new PipelineArea(its.split(), time, durable, missing),
        new NoticeArea(its.split(), time, durable, missing),
        sleep,
        new InPlaceArea(its.split(), time, durable, missing),
        new SeriesArea(its.split(), time, durable, missing),
        new DeviceArea(new SplittableRandom(~seed ^ DEVICES), time, durable, missing),
        new BackendArea(new SplittableRandom(seed ^ BACKENDS), time, durable, missing),
        new WarmArea(new SplittableRandom(~seed ^ WARM), time, durable, missing),
        new RayArea(new SplittableRandom(seed ^ RAYS), time, durable, missing.isEmpty()));
  }
}
