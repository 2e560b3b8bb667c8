package dev.fairlead.people.audit.web;

import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.PageTokens;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.people.audit.AuditEntry;
import dev.fairlead.people.audit.AuditFilter;
import dev.fairlead.people.audit.AuditPosition;
import dev.fairlead.people.audit.service.AuditQueries;
import dev.fairlead.people.audit.service.AuditVerification;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Lists and verifies the audit: callers, operations, objects and denials. */
@ApiController(ApiPaths.ROOT + "/audit")
@Tag(name = "Audit")
class AuditController {
  private static final TreeSet<String> OUTCOMES =
      new TreeSet<>(Set.of(AuditResponse.ALLOWED, AuditResponse.DENIED));
  private static final int MOST_LINKS = 10_000;
  private final AuditQueries audit;
  private final AuditVerification verification;
  private final PageTokens tokens;

  AuditController(AuditQueries audit, AuditVerification verification, PageTokens tokens) {
    this.audit = audit;
    this.verification = verification;
    this.tokens = tokens;
  }

  @Operation(
      operationId = "listAudit",
      summary = "List rows of the audit",
      description =
          "Lists operations that changed something in the tenant, and denials, newest first."
              + " Denials of one caller within a second are one row with a count, and so is a"
              + " batch. The row of a change to one object contains the hashes of its stored"
              + " state before and after. Available to owners of the tenant, administrators and"
              + " auditors.")
  @GetMapping
  ResponseEntity<Page<AuditResponse>> list(
      Actor caller,
      @RequestParam(required = false) @Nullable String actor,
      @RequestParam(required = false) @Nullable String action,
      @RequestParam(required = false) @Nullable String object,
      @RequestParam(required = false) @Nullable String outcome,
      @RequestParam(required = false) @Nullable String after,
      @RequestParam(required = false) @Nullable String before,
      @RequestParam(defaultValue = Page.SIZE) int pageSize,
      @RequestParam(required = false) @Nullable String pageToken) {
    int size = Parameters.pageSize(pageSize);
    if (outcome != null) {
      Parameters.word("outcome", OUTCOMES, outcome);
    }
    AuditFilter filter =
        new AuditFilter(
            actor,
            action,
            object,
            outcome == null ? null : outcome.equals(AuditResponse.ALLOWED),
            after == null ? null : Parameters.time("after", after),
            before == null ? null : Parameters.time("before", before));
    AuditPosition start =
        tokens
            .position(caller, filter.toString(), pageToken)
            .map(AuditController::position)
            .orElse(AuditPosition.END);
    List<AuditEntry> found = audit.newest(caller, filter, start, size + 1);
    return tokens
        .page(caller, filter.toString(), size, found, one -> text(one.position()))
        .map(AuditResponse::of)
        .answer();
  }

  @Operation(
      operationId = "verifyAudit",
      summary = "Verify the audit",
      description =
          "Compares rows of the audit of all tenants with the sealed chain, starting after"
              + " the link afterSequence, and returns the first row that was changed, removed,"
              + " added or moved. If more links remain, repeat with the sequence of the response."
              + " Available to administrators and auditors.")
  @GetMapping("/verification")
  AuditVerificationResponse verify(
      Actor caller,
      @RequestParam(defaultValue = "0") long afterSequence,
      @RequestParam(defaultValue = "10000") int links) {
    if (afterSequence < 0) {
      throw Parameters.refused("afterSequence", "must not be below 0");
    }
    int size = Parameters.range("links", links, 1, MOST_LINKS);
    return AuditVerificationResponse.of(verification.verify(caller, afterSequence, size));
  }

  private static String text(AuditPosition position) {
    return position.at() + " " + position.seq();
  }

  private static AuditPosition position(String text) {
    int space = text.indexOf(' ');
    return new AuditPosition(
        Instant.parse(text.substring(0, space)), Long.parseLong(text.substring(space + 1)));
  }
}
