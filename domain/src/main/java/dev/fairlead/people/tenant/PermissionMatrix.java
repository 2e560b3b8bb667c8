package dev.fairlead.people.tenant;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Defines which role may call which operation of the API. An operation without a row is refused.
 * The matrix is the source of the checks, of the security section of the OpenAPI document and of
 * {@code docs/reference/permissions.md}.
 */
public final class PermissionMatrix {
  /** The matrix of this version of Fairlead. */
  public static final PermissionMatrix CURRENT = read("/permissions.csv");

  private final SortedMap<String, EnumMap<Role, Grant>> rows;

  private PermissionMatrix(SortedMap<String, EnumMap<Role, Grant>> rows) {
    this.rows = rows;
  }

  private static PermissionMatrix read(String resource) {
    try (InputStream file = PermissionMatrix.class.getResourceAsStream(resource)) {
      if (file == null) {
        throw new IllegalStateException("no resource " + resource);
      }
      return parse(new String(file.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /**
   * Parses comma-separated rows: the first names the roles, the others begin with an operation.
   * Lines that begin with # are comments.
   *
   * @throws IllegalArgumentException if a role is missing or unknown, a cell is not yes, own or no,
   *     or an operation has two rows
   */
  public static PermissionMatrix parse(String text) {
    List<String[]> lines =
        text.lines()
            .filter(line -> !line.isBlank() && !line.startsWith("#"))
            .map(line -> line.split(",", -1))
            .toList();
    String[] head = lines.getFirst();
    List<String> roles = Stream.of(Role.values()).map(Role::wire).toList();
    if (!List.of(head).subList(1, head.length).equals(roles)) {
      throw new IllegalArgumentException("the columns must be operation and " + roles);
    }
    SortedMap<String, EnumMap<Role, Grant>> rows = new TreeMap<>();
    for (String[] line : lines.subList(1, lines.size())) {
      if (line.length != head.length || rows.put(line[0], cells(line)) != null) {
        throw new IllegalArgumentException(line[0] + " has two rows, or a wrong number of cells");
      }
    }
    return new PermissionMatrix(rows);
  }

  private static EnumMap<Role, Grant> cells(String[] line) {
    EnumMap<Role, Grant> cells = new EnumMap<>(Role.class);
    Iterator<String> texts = List.of(line).subList(1, line.length).iterator();
    for (Role role : Role.values()) {
      cells.put(role, Grant.valueOf(texts.next().toUpperCase(Locale.ROOT)));
    }
    return cells;
  }

  public SortedSet<String> operations() {
    return Collections.unmodifiableSortedSet(new TreeSet<>(rows.keySet()));
  }

  /** Returns the largest grant of the roles, NO for an operation without a row. */
  public Grant grant(String operation, Collection<Role> roles) {
    EnumMap<Role, Grant> row = rows.get(operation);
    return row == null
        ? Grant.NO
        : roles.stream().map(row::get).max(Grant::compareTo).orElse(Grant.NO);
  }

  /** Returns the roles that allow the operation, fully or for the caller's own objects. */
  public List<Role> rolesFor(String operation) {
    return Stream.of(Role.values())
        .filter(role -> grant(operation, List.of(role)) != Grant.NO)
        .toList();
  }

  /**
   * Returns whether a principal with these roles may grant the role, which must not permit more
   * than these roles.
   */
  public boolean covers(Collection<Role> held, Role wanted) {
    return rows.keySet().stream()
        .allMatch(o -> grant(o, List.of(wanted)).compareTo(grant(o, held)) <= 0);
  }
}
