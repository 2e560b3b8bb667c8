package dev.fairlead.work.job.web;

import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.errors.Problem;
import dev.fairlead.kernel.errors.ProblemWriter;
import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.BodyOf;
import dev.fairlead.kernel.mapping.PostBody;
import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.job.service.JobCommands;
import dev.fairlead.work.job.service.query.JobQueries;
import dev.fairlead.work.job.service.query.JobView;
import dev.fairlead.work.job.service.query.Submitted;
import dev.fairlead.work.job.service.submit.BatchResult;
import dev.fairlead.work.job.service.submit.NewJob;
import dev.fairlead.work.job.web.spec.SubmitJobRequest;
import dev.fairlead.work.job.web.view.JobResponse;
import dev.fairlead.work.job.web.view.JobResponses;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;

/** Submits many jobs in one request. Each item has its own result. */
@ApiController(ApiPaths.ROOT)
@Tag(name = "Jobs")
class BatchController {

  /**
   * Maximum number of problems of one item: with a hundred each, a thousand items would turn a
   * request of 1 MiB into a response 100 times as large.
   */
  private static final int MOST_PROBLEMS = 10;

  private final JobCommands commands;
  private final JobQueries queries;
  private final SubmitBodies bodies;
  private final JobResponses responses;

  BatchController(
      JobCommands commands, JobQueries queries, SubmitBodies bodies, JobResponses responses) {
    this.commands = commands;
    this.queries = queries;
    this.bodies = bodies;
    this.responses = responses;
  }

  /** Results in the order of the items. */
  record BatchResponse(List<BatchItem> items) {}

  /**
   * Result of one item: a job if it was stored, otherwise a problem.
   *
   * @param status HTTP status that a separate request would have returned
   */
  record BatchItem(int index, int status, @Nullable JobResponse job, @Nullable Problem problem) {}

  /** An item after reading: a spec, or its problems. */
  private record Item(@Nullable NewJob job, @Nullable Refusal refusal) {}

  @Operation(
      operationId = "submitJobs",
      summary = "Submit many jobs",
      description =
          "Takes 1 to 1,000 specs. Each item has its own status. With atomic=true all specs"
              + " are stored or none. The response is 200 even if items were refused.")
  @PostBody("/projects/{project}/jobs/batch")
  BatchResponse submit(
      Actor actor,
      @PathVariable String project,
      @RequestBody @BodyOf(SubmitJobRequest.Batch.class) Body body,
      @Takes({WritePart.VALIDATE_ONLY, WritePart.KEY}) WriteOptions options,
      HttpServletRequest request) {
    FieldProblems problems = new FieldProblems();
    Value batch = body.value(problems);
    Optional<SubmitJobRequest.Batch> bound = BodyBinder.read(batch, SubmitJobRequest.Batch.class);
    problems.refuse();
    boolean atomic = bound.orElseThrow().all();
    List<Value> given =
        batch
            .fields()
            .flatMap(fields -> fields.get("items"))
            .orElseThrow()
            .items(SubmitJobRequest.Batch.MOST_ITEMS);
    SubmitBodies.Request read = bodies.request(actor, project);
    List<Item> items = given.stream().map(v -> item(read, v)).toList();
    boolean refused = items.stream().anyMatch(item -> item.refusal() != null);
    RequestKey key = options.validateOnly() ? null : options.key(project, body);
    if (refused && key != null) { // a repeat with changed templates gets the first response
      Optional<List<BatchResult>> first =
          commands.repeatedAll(actor, key).filter(earlier -> earlier.size() == items.size());
      if (first.isPresent()) {
        List<Item> stored = items.stream().map(item -> new Item(null, null)).toList();
        return response(actor, new Answer(request, stored, atomic, first.get()), first.get());
      }
    }
    List<NewJob> wanted =
        items.stream().flatMap(item -> Optional.ofNullable(item.job()).stream()).toList();
    List<BatchResult> results =
        wanted.isEmpty()
            ? List.of()
            : commands.submitAll(
                actor, project, wanted, atomic, key, options.validateOnly() || atomic && refused);
    return response(actor, new Answer(request, items, atomic, results), results);
  }

  private BatchResponse response(Actor actor, Answer answer, List<BatchResult> results) {
    return new BatchResponse(answer.items(queries.submitted(actor, accepted(results))));
  }

  private static Item item(SubmitBodies.Request read, Value value) {
    FieldProblems problems = new FieldProblems(MOST_PROBLEMS);
    try {
      Optional<NewJob> wanted = read.read(value.in(problems));
      return wanted.isPresent() ? new Item(wanted.get(), null) : new Item(null, problems.refusal());
    } catch (Refusal missing) {
      return new Item(null, missing);
    }
  }

  private static List<Submitted> accepted(List<BatchResult> results) {
    return results.stream()
        .filter(BatchResult.Accepted.class::isInstance)
        .map(r -> ((BatchResult.Accepted) r).submitted())
        .toList();
  }

  /** Assigns results to their items. Unreadable items have none. */
  private final class Answer {
    private final HttpServletRequest request;
    private final List<Item> items;
    private final Iterator<BatchResult> results;
    private final boolean nothingStored;

    Answer(
        HttpServletRequest request, List<Item> items, boolean atomic, List<BatchResult> results) {
      this.request = request;
      this.items = items;
      this.results = results.iterator();
      boolean refused =
          results.size() < items.size()
              || results.stream().anyMatch(BatchResult.Refused.class::isInstance);
      this.nothingStored = atomic && refused;
    }

    List<BatchItem> items(List<JobView> accepted) {
      Iterator<JobView> views = accepted.iterator();
      List<BatchItem> answered = new ArrayList<>();
      for (Item item : items) {
        int index = answered.size();
        Refusal refusal = item.refusal();
        answered.add(
            refusal == null ? result(index, results.next(), views) : refused(index, refusal));
      }
      return answered;
    }

    private BatchItem result(int index, BatchResult result, Iterator<JobView> views) {
      return switch (result) {
        case BatchResult.Refused refused -> refused(index, refused.refusal());
        case BatchResult.Accepted accepted -> {
          JobView view = views.next();
          yield nothingStored
              ? refused(index, notStored())
              : new BatchItem(
                  index,
                  HttpStatus.CREATED.value(),
                  responses.submitted(view, accepted.submitted().warnings()),
                  null);
        }
      };
    }

    private BatchItem refused(int index, Refusal refusal) {
      Problem problem = ProblemWriter.of(request, within(index, refusal));
      return new BatchItem(index, problem.status(), null, problem);
    }
  }

  /**
   * Adds the prefix of the item to pointers of the use case. Pointers of the reader are already
   * complete.
   */
  private static Refusal within(int index, Refusal refusal) {
    String item = "/items/" + index;
    List<FieldProblem> moved =
        refusal.problems().stream()
            .map(p ->
                p.pointer().startsWith(item)
                    ? p
                    : new FieldProblem(item + p.pointer(), p.code(), p.detail(), p.suggestion()))
            .toList();
    return new Refusal(
        refusal.code(), String.valueOf(refusal.getMessage()), moved, refusal.numbers());
  }

  private static Refusal notStored() {
    return new Refusal(
        ProblemCode.ILLEGAL_STATE,
        "Not stored, because another item of this atomic batch was refused.");
  }
}
