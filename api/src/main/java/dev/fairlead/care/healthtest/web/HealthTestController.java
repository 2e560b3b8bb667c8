package dev.fairlead.care.healthtest.web;

import dev.fairlead.care.healthtest.HealthTest;
import dev.fairlead.care.healthtest.HealthTestRunId;
import dev.fairlead.care.healthtest.service.HealthTestRunView;
import dev.fairlead.care.healthtest.service.HealthTestView;
import dev.fairlead.care.healthtest.service.HealthTests;
import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.BodyOf;
import dev.fairlead.kernel.mapping.PostBody;
import dev.fairlead.kernel.mapping.PutBody;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.PageTokens;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.job.web.spi.JobBodies;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.constraints.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;

/** Manages health tests and their runs. */
@ApiController(ApiPaths.ROOT)
@Tag(name = "Health")
class HealthTestController {
  private static final int LONGEST_NODE = 253;
  private final HealthTests tests;
  private final JobBodies jobs;
  private final PageTokens tokens;

  HealthTestController(HealthTests tests, JobBodies jobs, PageTokens tokens) {
    this.tests = tests;
    this.jobs = jobs;
    this.tokens = tokens;
  }

  /** A request to test a node. */
  @Schema(name = "RunHealthTestRequest")
  record RunHealthTestRequest(
      @Schema(description = "Id or name of the node") @Size(min = 1, max = LONGEST_NODE)
          String node) {}

  @Operation(
      operationId = "listHealthTests",
      summary = "List health tests",
      description =
          "Lists health tests by name, with the number of tested nodes and the reason if a"
              + " test is not running.")
  @GetMapping("/health-tests")
  Page<HealthTestView> all() {
    return Page.whole(tests.all());
  }

  @Operation(
      operationId = "putHealthTest",
      summary = "Create or change a health test",
      description =
          "The job of the test is bound to a node, has the lowest priority and is tried once. A"
              + " node that fails is taken out of service, and an incident is opened. A run that"
              + " hangs or cannot start gives no result for its node. A scheduled test runs on"
              + " idle nodes that are due, starting with the node whose last test is oldest, and"
              + " pauses after three consecutive runs without a pass. Setting the test again"
              + " resumes it.")
  @PutBody("/health-tests/{healthTest}")
  HealthTestView put(
      Actor actor,
      @PathVariable String healthTest,
      @RequestBody @BodyOf(PutHealthTestRequest.class) Body body,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    Parameters.requireLabel("healthTest", healthTest, Names.LONGEST_LABEL);
    HealthTest test = PutHealthTestRequest.read(body, healthTest, actor, jobs);
    return tests.put(actor, test, options.validateOnly());
  }

  @Operation(
      operationId = "deleteHealthTest",
      summary = "Delete a health test",
      description =
          "Deletes the test. Its past runs remain readable. Its active runs continue, but"
              + " take no node out of service.")
  @ApiResponse(responseCode = "204", description = "Health test deleted.")
  @DeleteMapping("/health-tests/{healthTest}")
  ResponseEntity<Void> delete(
      Actor actor,
      @PathVariable String healthTest,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    tests.delete(actor, healthTest, options.validateOnly());
    return ResponseEntity.noContent().build();
  }

  @Operation(
      operationId = "runHealthTest",
      summary = "Test a node now",
      description =
          "Tests the node even if no test is due. The job of the test waits at most ten"
              + " minutes for running jobs. Refused with ILLEGAL_STATE if the test does not cover"
              + " the node, or if the node accepts no jobs or is under test.")
  @ApiResponse(responseCode = "201", description = "Test run started.", useReturnTypeSchema = true)
  @PostBody("/health-tests/{healthTest}/runs")
  ResponseEntity<HealthTestRunView> run(
      Actor actor,
      @PathVariable String healthTest,
      @RequestBody RunHealthTestRequest request,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    return ResponseEntity.status(HttpStatus.CREATED)
        .body(tests.run(actor, healthTest, request.node(), options.validateOnly()));
  }

  @Operation(
      operationId = "listHealthTestRuns",
      summary = "List health test runs",
      description =
          "Lists runs of all tests and nodes, or of one test or node, newest first. Runs of deleted"
              + " tests are included. Ended runs are stored for a year.")
  @GetMapping("/health-test-runs")
  ResponseEntity<Page<HealthTestRunView>> runs(
      Actor actor,
      @Parameter(description = "Name of a health test.") @RequestParam(required = false)
          @Nullable String healthTest,
      @RequestParam(required = false) @Nullable String node,
      @RequestParam(defaultValue = Page.SIZE) int pageSize,
      @RequestParam(required = false) @Nullable String pageToken) {
    int size = Parameters.pageSize(pageSize);
    String filter = "health test runs " + healthTest + " " + node;
    HealthTestRunId before =
        tokens
            .position(actor, filter, pageToken)
            .map(text -> new HealthTestRunId(ApiPaths.id(IdKind.HEALTH_TEST_RUN, text)))
            .orElse(null);
    List<HealthTestRunView> found = tests.runs(healthTest, node, before, size + 1);
    return tokens.page(actor, filter, size, found, HealthTestRunView::id).answer();
  }
}
