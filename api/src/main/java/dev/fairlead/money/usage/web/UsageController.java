package dev.fairlead.money.usage.web;

import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.web.AcrossProjects;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.money.usage.UsageLabels;
import dev.fairlead.money.usage.UsageQuery;
import dev.fairlead.money.usage.WaitQuery;
import dev.fairlead.money.usage.service.UsageCommands;
import dev.fairlead.money.usage.service.UsageQueries;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Reports the use of the fleet. */
@ApiController(ApiPaths.ROOT)
@Tag(name = "Usage")
class UsageController {
  private static final Duration MONTH = Duration.ofDays(31);
  private static final Duration HOURS_BACK = Duration.ofHours(UsageCommands.MOST_HOURS - 1L);
  private final UsageQueries queries;
  private final UsageCommands commands;
  private final InstantSource clock;

  UsageController(UsageQueries queries, UsageCommands commands, InstantSource clock) {
    this.queries = queries;
    this.commands = commands;
    this.clock = clock;
  }

  @AcrossProjects
  @Operation(
      operationId = "reportUsage",
      summary = "Report GPU-hours used",
      description =
          "Reports GPU-hours that members held in all projects where the caller has a role,"
              + " by hour, day or month (UTC) and by groups: project, queue, user, pool, model,"
              + " capacity, and label:KEY for usage labels of the tenant. Unhealthy GPUs, and GPUs"
              + " that an operator cordoned, do not count. At most 10,000 rows and three years.")
  @GetMapping("/usage")
  Page<UsageRowResponse> report(
      Actor actor,
      @RequestParam(defaultValue = "project") List<String> by,
      @RequestParam(defaultValue = "MONTH") String period,
      @RequestParam(required = false) @Nullable String project,
      @RequestParam(required = false) @Nullable String user,
      @RequestParam(required = false) @Nullable String from,
      @RequestParam(required = false) @Nullable String to) {
    Parameters.Span span = Parameters.span("from", from, "to", to, MONTH, clock.instant());
    TreeSet<UsageQuery.Group> groups = new TreeSet<>();
    TreeSet<String> labels = new TreeSet<>();
    for (String name : by) {
      if (name.startsWith(UsageRowResponse.LABEL)) {
        labels.add(name.substring(UsageRowResponse.LABEL.length()));
      } else {
        groups.add(UsageRowResponse.group(name));
      }
    }
    if (labels.size() > UsageLabels.MOST) {
      throw Parameters.refused("by", "may have at most " + UsageLabels.MOST + " labels");
    }
    UsageQueries.Parameters wish =
        new UsageQueries.Parameters(
            project,
            user,
            Parameters.choice("period", UsageQuery.Period.class, period),
            groups,
            labels,
            span.from(),
            span.to());
    return Page.whole(queries.report(actor, wish).stream().map(UsageRowResponse::of).toList());
  }

  @AcrossProjects
  @Operation(
      operationId = "reportWaits",
      summary = "Report how long jobs waited, and why",
      description =
          "Reports job-hours in state QUEUED in all projects where the caller has a role,"
              + " by hour, day or month (UTC) and by groups: project, queue and cause. The cause"
              + " is the first reason shown. Waits are sampled once a minute. At most 10,000 rows"
              + " and three years.")
  @GetMapping("/usage/waits")
  Page<WaitRowResponse> waits(
      Actor actor,
      @Parameter(description = "Group of the report: project, queue or cause. May be repeated.")
          @RequestParam(defaultValue = "cause")
          List<String> by,
      @RequestParam(defaultValue = "MONTH") String period,
      @RequestParam(required = false) @Nullable String project,
      @RequestParam(required = false) @Nullable String from,
      @RequestParam(required = false) @Nullable String to) {
    Parameters.Span span = Parameters.span("from", from, "to", to, MONTH, clock.instant());
    TreeSet<WaitQuery.Group> groups = new TreeSet<>();
    by.forEach(name -> groups.add(WaitRowResponse.group(name)));
    UsageQueries.Waits wish =
        new UsageQueries.Waits(
            project,
            Parameters.choice("period", UsageQuery.Period.class, period),
            groups,
            span.from(),
            span.to());
    return Page.whole(queries.waits(actor, wish).stream().map(WaitRowResponse::of).toList());
  }

  @Operation(
      operationId = "rebuildUsage",
      summary = "Recompute hours of use",
      description =
          "Compares closed hours with the sums of their intervals of use and of waits,"
              + " reports sums that differ, and rewrites those hours. With validateOnly, only"
              + " compares. At most 24 hours at a time, none older than 400 days.")
  @PostMapping("/usage/rebuild")
  UsageRebuildResponse rebuild(
      Actor actor,
      @Parameter(
              description =
                  "Start, as a time or a duration before now. Hours that begin before it"
                      + " are omitted. Default: 23 hours before `to`.")
          @RequestParam(required = false)
          @Nullable String from,
      @RequestParam(required = false) @Nullable String to,
      WriteOptions options) {
    Parameters.Span span = Parameters.span("from", from, "to", to, HOURS_BACK, clock.instant());
    return UsageRebuildResponse.of(
        commands.rebuild(actor, span.from(), span.to(), options.validateOnly()));
  }
}
