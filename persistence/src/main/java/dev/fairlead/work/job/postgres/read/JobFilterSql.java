package dev.fairlead.work.job.postgres.read;

import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.store.JobFilter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Conditions of a filter, as text of a statement and its parameters. The text comes only from this
 * class. Values of users are always parameters.
 */
final class JobFilterSql {
  /** The subject of a condition. */
  enum Field {
    PROJECT,
    QUEUE,
    USER,
    NAME,
    /** A part of the name, which no index covers. */
    NAME_PART,
    CREATED,
    PHASE,
    /** Only if the phases have other states too. No index covers it. */
    STATE,
    LABEL,
    /** After the mark of the previous page. */
    PLACE
  }

  /**
   * @param lookUp condition by which the planner may find the rows
   * @param check same condition on a row that is already read
   */
  private record Condition(Field field, String lookUp, String check) {}

  private final List<Condition> conditions = new ArrayList<>();
  private final Map<String, Object> parameters = new TreeMap<>();

  static JobFilterSql of(JobFilter filter) {
    JobFilterSql all = new JobFilterSql();
    all.set("tenant", filter.tenant().value());
    all.projects(filter.projects());
    all.queues(filter.queues());
    all.add(Field.USER, "submitted_by = :user", "user", filter.user());
    JobFilter.Name name = filter.name();
    if (name != null && name.part()) {
      all.add(Field.NAME_PART, "strpos(name, :name) > 0", "name", name.text());
    } else if (name != null) {
      all.add(Field.NAME, "name = :name", "name", name.text());
    }
    all.add(
        Field.CREATED,
        "created_at > :createdAfter",
        "createdAfter",
        Columns.parameter(filter.createdAfter()));
    all.add(
        Field.CREATED,
        "created_at < :createdBefore",
        "createdBefore",
        Columns.parameter(filter.createdBefore()));
    List<JobState> states = // indexes have the phase before the name
        filter.states().isEmpty() && all.has(Field.NAME)
            ? Arrays.asList(JobState.values())
            : filter.states();
    all.states(states);
    filter.labels().entrySet().forEach(label -> all.label(pair(label)));
    return all;
  }

  private void states(List<JobState> states) {
    if (states.isEmpty()) {
      return;
    }
    add(Field.PHASE, "phase IN (:phases)", "phases", names(JobPhase.of(states)));
    if (JobPhase.haveOtherStates(states)) {
      add(Field.STATE, "state IN (:states)", "states", names(states));
    }
  }

  private static List<String> names(List<? extends Enum<?>> values) {
    return values.stream().map(Enum::name).toList();
  }

  private void projects(@Nullable List<ProjectId> projects) {
    if (projects != null && projects.size() == 1) { // an index has the order of one
      add(Field.PROJECT, "project = :project", "project", projects.getFirst().value());
    } else if (projects != null) {
      add(
          Field.PROJECT,
          "project IN (SELECT unnest(CAST(:projects AS uuid[])))",
          "projects",
          Json.ids(projects.stream().map(ProjectId::value).toList()));
    }
  }

  private void queues(List<String> queues) {
    if (queues.size() == 1) { // one index scan, so that the index of the queue provides the order
      add(
          Field.QUEUE,
          "queue = (SELECT q.id FROM quota_node q WHERE q.tenant = :tenant AND q.name = :queue)",
          "queue",
          queues.getFirst());
    } else if (!queues.isEmpty()) {
      add(
          Field.QUEUE,
          "queue IN (SELECT q.id FROM quota_node q WHERE q.tenant = :tenant AND q.name IN"
              + " (:queues))",
          "queues",
          queues);
    }
  }

  /** Formats a label as in a row of {@code job_label}. */
  static String pair(Map.Entry<String, String> label) {
    return label.getKey() + "=" + label.getValue();
  }

  String text() {
    return text(EnumSet.allOf(Field.class));
  }

  /** Conditions on these fields. */
  String text(Set<Field> fields) {
    return conditions.stream()
        .filter(c -> fields.contains(c.field()))
        .map(c -> "\n  AND " + c.lookUp())
        .collect(Collectors.joining());
  }

  /** Conditions on other fields, for rows that are already read. Empty without any. */
  String checks(Set<Field> fields) {
    return conditions.stream()
        .filter(c -> !fields.contains(c.field()))
        .map(Condition::check)
        .collect(Collectors.joining("\n  AND "));
  }

  boolean has(Field field) {
    return conditions.stream().anyMatch(c -> c.field() == field);
  }

  Map<String, Object> parameters() {
    return parameters;
  }

  void set(String name, Object value) {
    parameters.put(name, value);
  }

  void add(Field field, String text, String name, @Nullable Object value) {
    if (value != null) {
      conditions.add(new Condition(field, text, text));
      parameters.put(name, value);
    }
  }

  /**
   * Compares only by equality, because under row-level security an index is not used for any other
   * operator. A scalar subquery, unlike {@code EXISTS}, never becomes a join, which would read all
   * rows of the label.
   */
  private void label(String pair) {
    String name = "label" + parameters.size();
    String row =
        " FROM job_label l WHERE l.tenant = :tenant AND l.label = :" + name + " AND l.job = id)";
    conditions.add(new Condition(Field.LABEL, "EXISTS (SELECT" + row, "(SELECT true" + row));
    parameters.put(name, pair);
  }
}
