package dev.fairlead.kernel.openapi;

import dev.fairlead.fleet.node.GpuState;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.operation.DrainPolicy;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.money.usage.UsageQuery;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.work.job.DecisionRecord;
import dev.fairlead.work.job.EventTypes;
import dev.fairlead.work.job.JobState;
import io.swagger.v3.oas.models.media.Schema;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;

/** What a parameter means; but for its words, one name means the same everywhere. */
final class ParameterTexts {
  private static final int LONGEST = 2048;
  private static final int MOST_VALUES = 64;

  private ParameterTexts() {}

  /** Adds what the schema can say of the values that are taken. */
  static void limit(String operation, String name, Schema<?> schema) {
    switch (name) {
      case "pageSize" -> schema.minimum(BigDecimal.ONE).maximum(BigDecimal.valueOf(Page.MOST));
      case "Idempotency-Key" -> schema.pattern("^[!-~][ -~]{0,254}$");
      case "If-Match" -> schema.pattern("^(\\*|\"[0-9]{1,18}\"(, ?\"[0-9]{1,18}\"){0,63})$");
      case "attempt" -> range(schema, 1, 1_000_000);
      case "element" -> range(schema, 0, 10_000);
      case "tail" -> range(schema, 0, 100_000);
      case "links" -> range(schema, 1, 10_000);
      case "afterSequence" -> schema.minimum(BigDecimal.ZERO);
      case "orderBy" -> setEnum(schema, List.of("-createdAt", "createdAt", "-priority", "name"));
      case "view" -> setEnum(schema, List.of("BASIC", "FULL"));
      case "state" -> words(schema.getItems(), JobState.class);
      case "nodeState" -> words(schema.getItems(), NodeState.class);
      case "gpuState" -> words(schema, GpuState.class);
      case "atDeadline" -> words(schema, DrainPolicy.class);
      case "kind" -> kinds(operation, schema);
      case "type" -> setEnum(schema.getItems(), List.copyOf(EventTypes.known()));
      case "version" -> setEnum(schema, List.of("1.0", "1.2"));
      case "groupBy" -> setEnum(schema.getItems(), List.of("state", "queue", "project", "user"));
      case "by" -> groups(operation, schema.getItems());
      case "outcome" -> setEnum(schema, List.of("ALLOWED", "DENIED"));
      case "period" -> words(schema, UsageQuery.Period.class);
      case "nameContains" -> texts(schema).maxLength(40).pattern("^[-a-z0-9]+$");
      case "label" ->
          texts(schema.getItems()).pattern("^[^=\\x00-\\x1f\\x7f]+=[^\\x00-\\x1f\\x7f]*$");
      default -> texts(schema.getItems() == null ? schema : schema.getItems());
    }
    if (schema.getItems() != null) {
      schema.maxItems(MOST_VALUES);
    }
  }

  private static void kinds(String operation, Schema<?> schema) {
    switch (operation) {
      case "listConfigHistory" -> words(schema, ConfigKind.class);
      case "listJobDecisions" -> words(schema, DecisionRecord.Kind.class);
      default -> texts(schema);
    }
  }

  private static void groups(String operation, Schema<?> schema) {
    switch (operation) {
      case "reportUsage" ->
          texts(schema)
              .pattern("^(project|queue|user|pool|model|capacity|label:[^\\x00-\\x1f\\x7f]+)$");
      case "reportWaits" -> setEnum(schema, List.of("project", "queue", "cause"));
      default -> texts(schema);
    }
  }

  /** Not empty, one line, at most so long; as every endpoint looks at them first. */
  private static Schema<?> texts(Schema<?> schema) {
    if (schema.getTypes() != null && schema.getTypes().contains("string")) {
      schema.minLength(1).maxLength(LONGEST).pattern("^[^\\x00-\\x1f\\x7f]+$");
    }
    return schema;
  }

  private static void range(Schema<?> schema, long least, long most) {
    schema.minimum(BigDecimal.valueOf(least)).maximum(BigDecimal.valueOf(most));
  }

  private static void words(Schema<?> schema, Class<? extends Enum<?>> type) {
    setEnum(schema, Arrays.stream(type.getEnumConstants()).map(Enum::name).toList());
  }

  @SuppressWarnings("unchecked")
  private static void setEnum(Schema<?> schema, List<String> values) {
    ((Schema<Object>) schema).setEnum(List.copyOf(values));
  }

  static String of(String name) {
    return switch (name) {
      case "project" -> "Name of a project.";
      case "job" -> "Id of a job.";
      case "quota" -> "Id or name of a quota node or queue.";
      case "node" -> "Id of a node, or a name that only one cluster has.";
      case "model" -> "Only of this GPU model, such as H100.";
      case "gpuState" -> "Only GPUs in this state: HEALTHY, DEGRADED, FAILED or UNKNOWN.";
      case "serial" -> "Only the GPU with this serial number or UUID.";
      case "nodeState" -> "Only nodes in this state, such as CORDONED; may be repeated.";
      case "operation" -> "Id of an operation.";
      case "at" -> "Only what applies at this time, such as 2030-01-31T08:00:00Z.";
      case "deadline" -> "When it is to be empty: a time, or a duration from now such as 2h.";
      case "atDeadline" ->
          "WAIT: remaining jobs run to their end. STOP: they are stopped too, and run elsewhere.";
      case "licence", "webhook" -> "Name, a DNS label.";
      case "pool" -> "Id or name of a pool.";
      case "budget" -> "Id or name of a budget.";
      case "cluster" -> "Id or name of a cluster.";
      case "state" -> "Only jobs in this state; may be repeated.";
      case "queue" -> "Only jobs of this queue; may be repeated.";
      case "actor" -> "Only actions of this person or service account.";
      case "action" -> "Only this operation of the API, such as createToken.";
      case "object" -> "Only records about the object with this id or name.";
      case "after" ->
          "Only what happened at this time or later, such as 2030-01-31T08:00:00Z; 31 days before"
              + " the end when absent.";
      case "afterSequence" ->
          "Begin behind the link with this sequence, which the answer before had; 0 for the first.";
      case "links" -> "How many links at most, 1 to 10,000.";
      case "before" -> "Only what happened before this time.";
      case "outcome" -> "Only allowed requests, or only denials.";
      case "user" -> "Only jobs of this user.";
      case "name" -> "Only jobs of this name.";
      case "label" -> "Only jobs with this label, as key=value; may be repeated with other keys.";
      case "createdAfter" ->
          "Only jobs created after this time, or within this duration, such as 24h.";
      case "orderBy" ->
          "-createdAt for newest first, createdAt for oldest first, -priority as queues serve them,"
              + " or name.";
      case "groupBy" -> "state, queue, project or user; may be repeated.";
      case "by" -> "project, queue, user, pool, model, capacity or label:KEY; may be repeated.";
      case "period" -> "HOUR, DAY or MONTH, in UTC.";
      case "from" ->
          "Hours that begin at this time or later, or within this duration; 31 days before to"
              + " when absent.";
      case "to" -> "Hours that begin before this time, or so long ago; now when absent.";
      case "view" -> "FULL, or BASIC to leave the specs out.";
      case "pageSize" -> "Items on a page, 1 to 500.";
      case "pageToken" -> "nextPageToken of the page before, with the same filter.";
      case "reason" ->
          "Reason for the change, recorded in the audit log; 1 to 500 characters on one line.";
      case "validateOnly" -> "Do everything but store; the answer is the same.";
      case "Idempotency-Key" ->
          "1 to 255 printable characters; a repeated request with it has its effect once, for 24"
              + " hours.";
      case "If-Match" -> "The ETag that reading the object gave, several of them, or *.";
      default -> ofEventsAndLogs(name);
    };
  }

  private static String ofEventsAndLogs(String name) {
    return switch (name) {
      case "member" -> "Role and index, such as worker-0; the first when absent.";
      case "attempt" -> "Number of the attempt; the newest when absent.";
      case "attemptId" -> "Id of an attempt.";
      case "element" -> "Index of the array element; 0 when absent.";
      case "tail" -> "Only the last so many lines.";
      case "type" -> "Only events of this type, such as JobSucceeded; may be repeated.";
      case "since" -> "Id of an event: only later ones; or a time, or a duration back from now.";
      case "Last-Event-ID" -> "Id of the last event read; the stream continues after it.";
      case "sinceTime" ->
          "Only items after this time, or within this duration before now, such as 2h.";
      case "follow" -> "Stream the answer until the member ends.";
      default -> name;
    };
  }
}
