package dev.fairlead.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaAnnotation;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.properties.CanBeAnnotated;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Rules for the use of JPA, see ADR 2. Annotations and repositories are known by their simple
 * names, so that planted violations do not reach the database of the tests.
 */
final class EntityRules {
  private static final Set<String> ROWS = Set.of("Entity", "Embeddable", "MappedSuperclass");
  private static final Set<String> ASSOCIATIONS =
      Set.of("OneToOne", "OneToMany", "ManyToOne", "ManyToMany", "ElementCollection");
  private static final Pattern UPDATE =
      Pattern.compile("(?is)\\s*update\\s+(versioned\\s+)?(\\w+)\\s+(\\w+)\\s.*");

  private EntityRules() {}

  static ArchRule rowsHaveNoAssociations() {
    return classes()
        .that(describe("are rows", row -> ROWS.stream().anyMatch(name -> has(row, name))))
        .should(
            condition(
                "have no associations",
                (row, violated) ->
                    row.getMembers().stream()
                        .filter(member -> ASSOCIATIONS.stream().anyMatch(a -> has(member, a)))
                        .map(JavaMember::getFullName)
                        .forEach(violated)))
        .because("an id says as much and loads nothing")
        .allowEmptyShould(true);
  }

  /** The version is the ETag: a change that bypasses it would be lost without an answer. */
  static ArchRule changesNameTheVersionThatWasRead() {
    return repositories(
        "change rows by their version",
        (repository, violated) ->
            repository.getMethods().stream()
                .filter(method -> query(method).filter(text -> past(repository, text)).isPresent())
                .map(JavaMethod::getFullName)
                .forEach(violated));
  }

  private static boolean past(JavaClass repository, String query) {
    Matcher update = UPDATE.matcher(query);
    return update.matches()
        && (update.group(1) == null
            || !query.contains(update.group(3) + ".version = :version")
            || rows(repository).noneMatch(row -> hasVersion(row, update.group(2))));
  }

  private static boolean hasVersion(JavaClass row, String name) {
    return row.getSimpleName().equals(name) && hasVersion(row);
  }

  private static boolean hasVersion(JavaClass row) {
    return row.getAllFields().stream().anyMatch(field -> has(field, "Version"));
  }

  private static boolean updates(JavaMethod method) {
    return query(method).filter(text -> UPDATE.matcher(text).matches()).isPresent();
  }

  /** A loaded row is changed and saved under its version, so no update bypasses the version. */
  static ArchRule repositoriesLoadOnlyRowsWithAVersion() {
    return repositories(
        "load rows only that have a version and no update query",
        (repository, violated) ->
            repository.getMethods().stream()
                .filter(method -> !method.getName().startsWith("save"))
                .filter(method ->
                    rows(repository).noneMatch(EntityRules::hasVersion)
                        || repository.getMethods().stream().anyMatch(EntityRules::updates))
                .filter(method ->
                    method.getReturnType().getAllInvolvedRawTypes().stream()
                        .anyMatch(type -> has(type, "Entity")))
                .map(JavaMethod::getFullName)
                .forEach(violated));
  }

  /** Written down by the build, such a query compares with null, and finds nothing. */
  static ArchRule queriesByNameTakeNoNull() {
    return repositories(
        "name what may be null in a query of their own",
        (repository, violated) ->
            repository.getMethods().stream()
                .filter(method -> !has(method, "Query") && !method.getName().startsWith("save"))
                .filter(EntityRules::takesNull)
                .map(JavaMethod::getFullName)
                .forEach(violated));
  }

  private static boolean takesNull(JavaMethod method) {
    return Stream.of(method.reflect().getAnnotatedParameterTypes())
        .anyMatch(type -> type.isAnnotationPresent(Nullable.class));
  }

  static ArchRule repositoriesHaveNoSql() {
    return repositories(
        "have no native query",
        (repository, violated) ->
            repository.getMethods().stream()
                .filter(method ->
                    annotation(method, "Query")
                        .flatMap(q -> q.get("nativeQuery"))
                        .filter(Boolean.TRUE::equals)
                        .isPresent())
                .map(JavaMethod::getFullName)
                .forEach(violated));
  }

  /** Only annotations of JPA and their values, because only Spring has an entity manager. */
  static ArchRule rowsAreUsedThroughRepositories() {
    return noClasses()
        .should()
        .dependOnClassesThat(
            describe(
                "are calls of JPA or Hibernate",
                type ->
                    (type.getPackageName().startsWith("jakarta.persistence")
                            || type.getPackageName().startsWith("org.hibernate")
                                && !type.getPackageName().startsWith("org.hibernate.validator"))
                        && !type.isAnnotation()
                        && !type.isEnum()
                        && !type.getSimpleName().equals("SqlTypes")));
  }

  private static ArchRule repositories(String what, BiConsumer<JavaClass, Consumer<String>> check) {
    return classes()
        .that(
            describe(
                "are repositories",
                type ->
                    type.isInterface()
                        && type.getAllRawInterfaces().stream()
                            .anyMatch(i -> i.getSimpleName().equals("Repository"))))
        .should(condition(what, check))
        .allowEmptyShould(true);
  }

  private static ArchCondition<JavaClass> condition(
      String what, BiConsumer<JavaClass, Consumer<String>> check) {
    return new ArchCondition<>(what) {
      @Override
      public void check(JavaClass type, ConditionEvents events) {
        check.accept(type, text -> events.add(SimpleConditionEvent.violated(type, text)));
      }
    };
  }

  private static Stream<JavaClass> rows(JavaClass repository) {
    return repository.getInterfaces().stream()
        .flatMap(extended -> extended.getAllInvolvedRawTypes().stream())
        .filter(type -> has(type, "Entity"));
  }

  private static Optional<String> query(JavaMethod method) {
    return annotation(method, "Query").flatMap(q -> q.get("value")).map(Object::toString);
  }

  private static boolean has(CanBeAnnotated element, String name) {
    return annotation(element, name).isPresent();
  }

  private static Optional<? extends JavaAnnotation<?>> annotation(
      CanBeAnnotated element, String name) {
    Set<? extends JavaAnnotation<?>> all =
        switch (element) {
          case JavaClass type -> type.getAnnotations();
          case JavaMember member -> member.getAnnotations();
          default -> Set.of();
        };
    return all.stream().filter(a -> a.getRawType().getSimpleName().equals(name)).findFirst();
  }
}
