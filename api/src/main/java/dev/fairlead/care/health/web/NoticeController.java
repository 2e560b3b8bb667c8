package dev.fairlead.care.health.web;

import dev.fairlead.care.health.service.NoticeIntake;
import dev.fairlead.fleet.node.NodeNotice;
import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.PostBody;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;

/** Accepts notices of the end of machines. */
@ApiController(ApiPaths.ROOT)
@Tag(name = "Health")
class NoticeController {
  private static final String PLAIN = "[-A-Za-z0-9_.:/]+";
  private static final String PRINTED = "[^\\x00-\\x1f\\x7f]+";
  private final NoticeIntake intake;

  NoticeController(NoticeIntake intake) {
    this.intake = intake;
  }

  /** A notice of the end of a machine, or its withdrawal. */
  @Schema(name = "ReportNoticeRequest")
  record ReportNoticeRequest(
      @Schema(
              description =
                  "Id chosen by the sender, the same in each repeat and in the withdrawal: letters,"
                      + " digits and -_.:/")
          @Size(min = 1, max = 128)
          @Pattern(regexp = PLAIN)
          String id,
      @Schema(description = "Name of the machine in its cluster. Required unless withdrawn")
          @Size(min = 1, max = PlainText.LONGEST_NODE)
          @Pattern(regexp = PLAIN)
          @Nullable String node,
      @Schema(
              description = "Event that is announced. Required unless withdrawn",
              allowableValues = {
                "SPOT",
                "MAINTENANCE",
                "HOST_ERROR",
                "REBALANCE",
                "SCALE_DOWN",
                "FREEZE"
              })
          NodeNotice.@Nullable Kind kind,
      @Schema(
              description =
                  "Time of the announced event, at most 366 days from now. Default: the notice"
                      + " period of the kind, counted from the first report")
          @Nullable Instant deadline,
      @Schema(description = "Message for operators and job owners, at most 500 characters")
          @Size(min = 1, max = 500)
          @Pattern(regexp = PRINTED)
          @Nullable String reason,
      @Schema(description = "Whether the notice of this id is withdrawn. False by default")
          @Nullable Boolean withdrawn)
      implements RequestRules {
    @Override
    public SortedMap<String, String> conflicts(SortedSet<String> given) {
      SortedMap<String, String> conflicts = new TreeMap<>();
      boolean ends = Boolean.TRUE.equals(withdrawn);
      for (String field : List.of("node", "kind")) {
        if (!ends && !given.contains(field)) {
          conflicts.put(field, "is missing: a notice must name its machine and the event");
        }
      }
      for (String field : List.of("node", "kind", "deadline", "reason")) {
        if (ends && given.contains(field)) {
          conflicts.put(field, "does not apply to a withdrawal: remove the field");
        }
      }
      if (kind == NodeNotice.Kind.WITHDRAWN) {
        conflicts.put("kind", "must not be WITHDRAWN: to withdraw a notice, set withdrawn to true");
      }
      return conflicts;
    }

    private NoticeIntake.Report report() {
      return new NoticeIntake.Report(
          id, Objects.requireNonNull(node), Objects.requireNonNull(kind), deadline, reason);
    }
  }

  @Operation(
      operationId = "reportNotice",
      summary = "Report that a machine will end",
      description =
          "Announces that a machine of the cluster will be terminated, restarted or paused, or"
              + " withdraws such a notice. The notice has the same effect as a notice on the"
              + " node object: the node accepts no new jobs, and its jobs can save their work"
              + " and are moved before the deadline. A repeat does nothing, and another deadline"
              + " or machine under the same id replaces the notice. A notice that was withdrawn"
              + " remains withdrawn. INVALID_FIELD: the cluster has no such node, the deadline"
              + " is in the past, or no notice has the id of a withdrawal. Intended for tokens"
              + " with the role monitor.")
  @PostBody("/clusters/{cluster}/notices")
  NoticeIntake.Result report(
      Actor actor,
      @PathVariable String cluster,
      @RequestBody ReportNoticeRequest request,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    boolean only = options.validateOnly();
    return Boolean.TRUE.equals(request.withdrawn())
        ? intake.withdraw(actor, cluster, request.id(), only)
        : intake.announce(actor, cluster, request.report(), only);
  }
}
