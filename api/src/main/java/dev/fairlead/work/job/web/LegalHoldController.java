package dev.fairlead.work.job.web;

import dev.fairlead.kernel.body.DnsLabel;
import dev.fairlead.kernel.body.FieldReader;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.PutBody;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.legalhold.LegalHold;
import dev.fairlead.people.legalhold.LegalHoldBuilder;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.job.service.LegalHoldView;
import dev.fairlead.work.job.service.LegalHolds;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.constraints.Size;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import tools.jackson.databind.annotation.JsonDeserialize;

/** Manages legal holds of a tenant. */
@ApiController(ApiPaths.ROOT + "/legal-holds")
@Tag(name = "Tenants")
class LegalHoldController {
  private final LegalHolds holds;

  LegalHoldController(LegalHolds holds) {
    this.holds = holds;
  }

  /** Reason for and scope of a legal hold. */
  @Schema(name = "PutLegalHoldRequest")
  record PutLegalHoldRequest(
      @Schema(description = "Reason for the hold, 1 to 500 characters")
          @Size(min = 1, max = LegalHold.LONGEST_REASON)
          String reason,
      @Schema(description = "Name of the only protected project. Excludes job") @DnsLabel
          @Nullable String project,
      @Schema(implementation = String.class, description = "Id of the only protected job")
          @JsonDeserialize(using = IdOfJob.class)
          @Nullable JobId job,
      @Schema(description = "Start of the protected time. No start when absent")
          @Nullable Instant from,
      @Schema(
              description =
                  "End of the protected time, exclusive. When absent, the time has no end,"
                      + " and future objects are protected too")
          @Nullable Instant to)
      implements RequestRules {
    @Override
    public void check(Fields given) {
      if (project != null && job != null) {
        given.refuse(
            "project",
            ProblemCode.CONFLICTING_FIELDS,
            "A legal hold on a job cannot name a project: the job already belongs to one.",
            null);
      }
      Instant begin = exact(from);
      Instant end = exact(to);
      if (begin != null && end != null && !begin.isBefore(end)) {
        given.refuse("to", ProblemCode.INVALID_FIELD, "to must be after from.", null);
      }
    }

    private static @Nullable Instant exact(@Nullable Instant at) {
      return at == null ? null : at.truncatedTo(ChronoUnit.MILLIS);
    }

    private LegalHold hold(Actor actor, String name) {
      return LegalHoldBuilder.builder()
          .tenant(actor.tenant())
          .name(name)
          .reason(reason)
          .project(null)
          .job(job)
          .from(exact(from))
          .to(exact(to))
          .changed(new LegalHold.Change(Instant.EPOCH, actor.name()))
          .build();
    }
  }

  /** Reads the id of a job. */
  static final class IdOfJob extends FieldReader<JobId> {
    @Override
    protected Optional<JobId> read(Value value) {
      return value
          .text(Names.LONGEST_LABEL)
          .flatMap(text -> IdText.decode(IdKind.JOB, text))
          .or(() -> value.bad("must be the id of a job, not " + value.shown(), null))
          .map(JobId::new);
    }
  }

  @Operation(
      operationId = "listLegalHolds",
      summary = "List legal holds",
      description = "Lists the legal holds of the tenant by name.")
  @GetMapping
  Page<LegalHoldView> all(Actor actor) {
    return Page.whole(holds.all(actor));
  }

  @Operation(
      operationId = "getLegalHold",
      summary = "Read a legal hold",
      description = "Returns the scope of the hold, its reason and its author.")
  @GetMapping("/{legalHold}")
  LegalHoldView one(Actor actor, @PathVariable String legalHold) {
    return holds.one(actor, legalHold);
  }

  @Operation(
      operationId = "putLegalHold",
      summary = "Set a legal hold",
      description =
          "Protects jobs of the tenant, of a project, or one job, and the decisions about"
              + " them, within a time range: decisions are retained beyond their retention period,"
              + " and deleteJob, deleteProject and archiveTenant are refused with IN_USE. Data"
              + " that was deleted earlier is not restored. A hold with the same name is replaced.")
  @PutBody("/{legalHold}")
  LegalHoldView put(
      Actor actor,
      @PathVariable String legalHold,
      @RequestBody PutLegalHoldRequest request,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    Parameters.requireLabel("legalHold", legalHold, Names.LONGEST_LABEL);
    return holds.put(
        actor, request.hold(actor, legalHold), request.project(), options.validateOnly());
  }

  @Operation(
      operationId = "deleteLegalHold",
      summary = "Delete a legal hold",
      description =
          "Protected data past its retention period is deleted, and other protected objects"
              + " may be deleted again.")
  @ApiResponse(responseCode = "204", description = "Legal hold deleted.")
  @DeleteMapping("/{legalHold}")
  ResponseEntity<Void> delete(
      Actor actor,
      @PathVariable String legalHold,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    holds.delete(actor, legalHold, options.validateOnly());
    return ResponseEntity.noContent().build();
  }
}
