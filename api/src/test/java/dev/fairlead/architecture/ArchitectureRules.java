package dev.fairlead.architecture;

import static com.tngtech.archunit.lang.conditions.ArchConditions.beMetaAnnotatedWith;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The project's rules as functions of the checked classes: each rule runs on the product and on
 * planted violations. A feature is a package of an area, such as {@code work.job}, or a package
 * directly below {@code root} that belongs to no area.
 */
final class ArchitectureRules {

  private static final Set<String> AREAS =
      Set.of("work", "fleet", "care", "money", "people", "data", "kernel");

  private static final Set<String> HASH_COLLECTIONS =
      Set.of("java.util.HashMap", "java.util.HashSet", "java.util.concurrent.ConcurrentHashMap");
  private static final Set<String> RANDOM =
      Set.of("java.util.concurrent.ThreadLocalRandom", "java.security.SecureRandom");

  private ArchitectureRules() {}

  /**
   * The pure core may use the JDK including signatures, but not SQL and network, JSpecify, the
   * annotation of generated builders, and itself.
   */
  static ArchRule touchesOnlyTheJdkAnd(Set<String> own) {
    return classes()
        .should(
            dependOnlyOn(
                "the JDK without java.sql and java.net, JSpecify, the YAML parser, generated"
                    + " builders and the core",
                target ->
                    target.isPrimitive()
                        || isPlainJdk(target.getName())
                        || target.getName().startsWith("org.jspecify.")
                        || target.getName().startsWith("org.snakeyaml.engine.")
                        || target.getName().startsWith("io.soabase.recordbuilder.core.")
                        || own.contains(target.getName())))
        .because("the core decides purely; everything else happens outside of it")
        .allowEmptyShould(true);
  }

  private static boolean isPlainJdk(String name) {
    // a signature depends only on its key and bytes, like a hash of java.security
    return name.startsWith("javax.crypto.")
        || name.startsWith("java.")
            && !name.startsWith("java.sql.")
            && !name.startsWith("java.net.");
  }

  private static ArchCondition<JavaClass> dependOnlyOn(
      String description, Predicate<JavaClass> allowed) {
    return new ArchCondition<>("depend only on " + description) {
      @Override
      public void check(JavaClass item, ConditionEvents events) {
        for (Dependency dependency : item.getDirectDependenciesFromSelf()) {
          JavaClass target = dependency.getTargetClass().getBaseComponentType();
          if (!allowed.test(target)) {
            events.add(SimpleConditionEvent.violated(item, dependency.getDescription()));
          }
        }
      }
    };
  }

  /** A layer that must not know other layers' types or a technology's packages. */
  static ArchRule knowsNothingOf(String what, Set<String> foreign, String... packages) {
    return noClasses()
        .should()
        .dependOnClassesThat(
            DescribedPredicate.describe(
                what,
                target ->
                    foreign.contains(target.getBaseComponentType().getName())
                        || Stream.of(packages)
                            .anyMatch(prefix -> target.getName().startsWith(prefix + "."))))
        .allowEmptyShould(true);
  }

  static ArchRule featuresAreFreeOfCycles(String root) {
    return freeOfCycles("features", type -> featureOf(type, root));
  }

  static ArchRule packagesAreFreeOfCycles(String root) {
    return freeOfCycles(
        "packages", type -> featureOf(type, root).isEmpty() ? "" : type.getPackageName());
  }

  private static ArchRule freeOfCycles(String groups, Function<JavaClass, String> groupOf) {
    return slices()
        .assignedFrom(
            new SliceAssignment() {
              @Override
              public SliceIdentifier getIdentifierOf(JavaClass type) {
                String group = groupOf.apply(type);
                return group.isEmpty() ? SliceIdentifier.ignore() : SliceIdentifier.of(group);
              }

              @Override
              public String getDescription() {
                return groups;
              }
            })
        .namingSlices("Slice $1")
        .should()
        .beFreeOfCycles()
        .allowEmptyShould(true);
  }

  /**
   * Other features use a sub-package (service, web, postgres, snapshot ...) only if it is a port, a
   * package named {@code spi}, or one of the {@code open} packages.
   */
  static ArchRule subPackagesAreUsedOnlyByTheirFeature(String root, Set<String> open) {
    return classes()
        .should(
            new ArchCondition<>("use sub-packages of their own feature only") {
              @Override
              public void check(JavaClass item, ConditionEvents events) {
                String feature = featureOf(item, root);
                for (Dependency dependency : item.getDirectDependenciesFromSelf()) {
                  JavaClass target = dependency.getTargetClass().getBaseComponentType();
                  if (isInSubPackage(target, root)
                      && !open.contains(target.getPackageName())
                      && !featureOf(target, root).equals(feature)) {
                    events.add(SimpleConditionEvent.violated(item, dependency.getDescription()));
                  }
                }
              }
            })
        .allowEmptyShould(true);
  }

  private static boolean isInSubPackage(JavaClass type, String root) {
    String name = type.getPackageName();
    return name.length() > root.length() + 1 + featureOf(type, root).length()
        && name.startsWith(root + ".")
        && !name.endsWith(".spi");
  }

  private static String featureOf(JavaClass type, String root) {
    return featureOf(type.getPackageName(), root);
  }

  /** Area and feature of a package below {@code root}, empty for {@code root}. */
  static String featureOf(String name, String root) {
    if (!name.startsWith(root + ".")) {
      return "";
    }
    String[] parts = name.substring(root.length() + 1).split("\\.");
    return AREAS.contains(parts[0]) && parts.length > 1 ? parts[0] + "." + parts[1] : parts[0];
  }

  /** Names of packages with classes in more than one module. */
  static List<String> packagesOfSeveralModules(Map<String, JavaClasses> modules) {
    Map<String, Set<String>> places = new TreeMap<>();
    modules.forEach((module, classes) ->
        classes.forEach(type ->
            places.computeIfAbsent(type.getPackageName(), name -> new TreeSet<>()).add(module)));
    return places.entrySet().stream()
        .filter(place -> place.getValue().size() > 1)
        .map(place -> place.getKey() + " in " + place.getValue())
        .toList();
  }

  /** Each feature may use the features to its left. Features not listed here are unrestricted. */
  static ArchRule featuresUseOnlyThoseToTheirLeft(String root, List<String> order) {
    return classes()
        .should(
            new ArchCondition<>("use only features to their left in " + order) {
              @Override
              public void check(JavaClass item, ConditionEvents events) {
                int own = order.indexOf(featureOf(item, root));
                for (Dependency dependency : item.getDirectDependenciesFromSelf()) {
                  JavaClass target = dependency.getTargetClass().getBaseComponentType();
                  if (own >= 0 && order.indexOf(featureOf(target, root)) > own) {
                    events.add(SimpleConditionEvent.violated(item, dependency.getDescription()));
                  }
                }
              }
            })
        .allowEmptyShould(true);
  }

  /** No clock, randomness, threads or hash order: equal input gives equal decisions. */
  static ArchRule isDeterministic() {
    return classes()
        .should(
            new ArchCondition<>("call neither clock nor chance nor threads nor hash collections") {
              @Override
              public void check(JavaClass item, ConditionEvents events) {
                accessesFrom(item)
                    .filter(access -> isForbidden(access.getTarget()))
                    .map(JavaAccess::getDescription)
                    .distinct()
                    .forEach(call -> events.add(SimpleConditionEvent.violated(item, call)));
                if (item.isAssignableTo(Thread.class)) {
                  events.add(SimpleConditionEvent.violated(item, item.getName() + " is a thread"));
                }
              }
            })
        .because("a plan or a transition can be replayed from its input alone")
        .allowEmptyShould(true);
  }

  private static Stream<JavaAccess<?>> accessesFrom(JavaClass item) {
    Set<JavaAccess<?>> all = new LinkedHashSet<>(item.getAccessesFromSelf());
    all.addAll(item.getMethodReferencesFromSelf());
    all.addAll(item.getConstructorReferencesFromSelf());
    return all.stream();
  }

  private static boolean isForbidden(AccessTarget target) {
    String owner = target.getOwner().getName();
    String method = target.getName();
    return readsAClock(owner, method)
        || isChance(owner, method, target)
        || isConcurrent(owner, method)
        || isHashOrdered(owner, method, target);
  }

  private static boolean readsAClock(String owner, String method) {
    return owner.startsWith("java.time.") && method.equals("now")
        || owner.equals("java.time.Clock") && method.startsWith("system")
        || owner.equals("java.time.InstantSource") && method.equals("system")
        || owner.equals("java.lang.System")
            && (method.equals("currentTimeMillis") || method.equals("nanoTime"))
        || owner.equals("java.util.Date") && method.equals("<init>");
  }

  private static boolean isChance(String owner, String method, AccessTarget target) {
    return owner.equals("java.util.UUID") && method.equals("randomUUID")
        || owner.equals("java.lang.Math") && method.equals("random")
        || owner.equals("java.util.Random") && method.equals("<init>") && parameters(target) == 0
        || owner.equals("java.util.SplittableRandom")
            && method.equals("<init>")
            && parameters(target) == 0
        || owner.equals("java.util.Collections")
            && method.equals("shuffle")
            && parameters(target) == 1
        || RANDOM.contains(owner);
  }

  private static boolean isConcurrent(String owner, String method) {
    return owner.equals("java.lang.Thread")
        || owner.startsWith("java.lang.Thread$")
        || owner.startsWith("java.util.concurrent.Executor")
        || owner.equals("java.util.concurrent.CompletableFuture")
        || owner.equals("java.util.concurrent.ForkJoinPool")
        || owner.startsWith("java.util.") && method.equals("parallelStream")
        || owner.startsWith("java.util.stream.") && method.equals("parallel");
  }

  private static boolean isHashOrdered(String owner, String method, AccessTarget target) {
    if (owner.equals("java.util.stream.Collectors")) {
      return method.equals("toSet")
          || method.equals("toUnmodifiableSet")
          || method.equals("toUnmodifiableMap")
          || method.equals("toMap") && parameters(target) < 4
          || method.equals("groupingBy") && parameters(target) < 3;
    }
    if (owner.equals("java.util.Map") || owner.equals("java.util.Set")) {
      return method.equals("copyOf"); // iterates in an order that differs from one JVM to the next
    }
    return HASH_COLLECTIONS.contains(owner) && method.equals("<init>");
  }

  private static int parameters(AccessTarget target) {
    return target instanceof AccessTarget.CodeUnitAccessTarget unit
        ? unit.getRawParameterTypes().size()
        : 0;
  }

  /**
   * The only write path: exactly one class of the service layer, and none outside it, calls the
   * {@code append} of a {@code ...Store}. Stores are discovered, not listed.
   *
   * @param service names of the service layer's classes
   */
  static ArchRule appendsInOneClassOnly(Set<String> service) {
    return classes()
        .that()
        .haveSimpleNameEndingWith("Store")
        .and()
        .areInterfaces()
        .should(
            new ArchCondition<>("have append called in one class of the service layer") {
              @Override
              public void check(JavaClass store, ConditionEvents events) {
                List<String> callers = callersOfAppend(store);
                if (callers.size() > 1) {
                  events.add(
                      SimpleConditionEvent.violated(
                          store, store.getName() + ".append is called by " + callers));
                }
                callers.stream()
                    .filter(caller -> !service.contains(caller))
                    .map(caller -> caller + " calls " + store.getName() + ".append from outside")
                    .forEach(text -> events.add(SimpleConditionEvent.violated(store, text)));
              }
            })
        .allowEmptyShould(true);
  }

  private static List<String> callersOfAppend(JavaClass store) {
    Set<JavaAccess<?>> uses = new LinkedHashSet<>(store.getAccessesToSelf());
    uses.addAll(store.getMethodReferencesToSelf());
    return uses.stream()
        .filter(access -> access.getTarget().getName().equals("append"))
        .map(JavaAccess::getOriginOwner)
        .filter(origin -> !origin.isAssignableTo(store.getName()))
        .map(ArchitectureRules::outermost)
        .distinct()
        .sorted()
        .toList();
  }

  private static String outermost(JavaClass type) {
    return type.getEnclosingClass().map(ArchitectureRules::outermost).orElse(type.getName());
  }

  static ArchRule entitiesArePackagePrivate(String entityAnnotation) {
    return classes()
        .that()
        .areAnnotatedWith(entityAnnotation)
        .should()
        .bePackagePrivate()
        .because("a row's shape is nobody's business but its store's")
        .allowEmptyShould(true);
  }

  static ArchRule controllersAreAnnotatedAndLieInWeb(String controllerAnnotation) {
    return classes()
        .that()
        .haveSimpleNameEndingWith("Controller")
        .and()
        .areNotAnnotations()
        .should(beMetaAnnotatedWith(controllerAnnotation))
        .andShould()
        .resideInAPackage("..web..")
        .allowEmptyShould(true);
  }
}
