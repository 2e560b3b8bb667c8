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
  private static final Pattern WRITE = Pattern.compile("(?i)\\s*(update|delete|insert)\\s");

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

  /**
   * The version is the ETag. A row is loaded, changed and saved under it, and an update query would
   * be a second way with its own list of columns.
   */
  static ArchRule rowsWithAVersionHaveNoUpdateQuery() {
    return repositories(
        "change rows with a version by loading and saving them",
        (repository, violated) ->
            repository.getMethods().stream()
                .filter(EntityRules::writes)
                .filter(method -> rows(repository).anyMatch(EntityRules::hasVersion))
                .map(JavaMethod::getFullName)
                .forEach(violated));
  }

  private static boolean writes(JavaMethod method) {
    return has(method, "Modifying")
        || query(method).filter(text -> WRITE.matcher(text).lookingAt()).isPresent();
  }

  private static boolean hasVersion(JavaClass row) {
    return row.getAllFields().stream().anyMatch(field -> has(field, "Version"));
  }

  /** A loaded row can be changed, and only a version refuses a change that another one overtook. */
  static ArchRule repositoriesLoadOnlyRowsWithAVersion() {
    return repositories(
        "load rows only that have a version",
        (repository, violated) ->
            repository.getMethods().stream()
                .filter(method -> !method.getName().startsWith("save"))
                .filter(method -> rows(repository).noneMatch(EntityRules::hasVersion))
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
