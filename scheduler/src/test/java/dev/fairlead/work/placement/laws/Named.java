package dev.fairlead.work.placement.laws;

import dev.fairlead.work.job.Job;
import dev.fairlead.work.placement.RandomScene;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.PlacementSpecBuilder;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Worlds in which most jobs have labels, and some prefer or avoid jobs by label. In every second
 * world no job runs yet.
 */
final class Named {
  private static final int MOST_JOBS = 20;
  private static final List<String> LEVELS = List.of("host", "rack", "block", "cluster", "aisle");

  private Named() {}

  static World world(long seed) {
    World world =
        seed % 2 == 0 ? RandomScene.world(seed, MOST_JOBS) : RandomScene.fresh(seed, MOST_JOBS);
    Random random = new Random(seed + 2003);
    Map<String, JobSpec> specs = new TreeMap<>();
    List<PendingJob> pending = new ArrayList<>();
    for (PendingJob p : world.pending()) {
      JobSpec spec = specs.computeIfAbsent(p.job().name(), n -> named(p.job().spec(), random));
      pending.add(new PendingJob(p.job().seenAs(spec), p.offers(), p.unmet(), p.deadDependency()));
    }
    List<World.LiveAttempt> live = new ArrayList<>();
    for (World.LiveAttempt l : world.live()) {
      Job job = l.job();
      JobSpec spec = specs.computeIfAbsent(job.name(), n -> named(job.spec(), random));
      live.add(new World.LiveAttempt(l.attempt(), job.seenAs(spec)));
    }
    return world.toBuilder().pending(pending).live(live).build();
  }

  private static JobSpec named(JobSpec spec, Random random) {
    PlacementSpecBuilder placement = spec.placement().with();
    if (random.nextInt(3) == 0) {
      placement.away(terms(random));
    }
    if (random.nextInt(5) == 0) {
      placement.near(terms(random));
    }
    if (random.nextInt(8) == 0) {
      placement.jobClass("loud").avoidClasses(List.of("loud"));
    }
    SortedMap<String, String> labels = new TreeMap<>();
    if (random.nextInt(4) > 0) {
      labels.put("app", one(List.of("a", "b"), random));
      labels.put("tier", one(List.of("1", "2"), random));
    }
    return SmallerSpecs.with(spec, spec.roles(), placement.build()).labelled(labels);
  }

  private static List<PlacementSpec.JobTerm> terms(Random random) {
    SortedMap<String, String> jobs = new TreeMap<>();
    jobs.put("app", one(List.of("a", "b"), random));
    if (random.nextInt(3) == 0) {
      jobs.put("tier", one(List.of("1", "2"), random));
    }
    return List.of(new PlacementSpec.JobTerm(jobs, one(LEVELS, random)));
  }

  private static <T> T one(List<T> of, Random random) {
    return of.get(random.nextInt(of.size()));
  }
}
