package dev.fairlead.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaParameter;
import com.tngtech.archunit.core.domain.ReferencedClassObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Three shapes at the border: request record, domain value, row or document. */
final class BorderRules {
  /** Records of one feature that may share most of their components. */
  static final int MIRRORS = 3;

  /** Main files of a resource that is stored as documents. */
  static final int FILES_OF_A_RESOURCE = 6;

  /** Identifiers of objects that responses show by name. Other identifiers are texts in JSON. */
  private static final Set<String> SHOWN_BY_NAME =
      Set.of("ClusterId", "NodeId", "ProjectId", "TenantId", "VolumeId");

  private static final double MOST_COMPONENTS = 0.75;
  private static final int FEWEST_COMPONENTS = 4;
  private static final String REQUEST = "Request";
  private static final String RESPONSE = "Response";
  private static final String FEATURE = "/src/main/java/dev/fairlead/";

  private BorderRules() {}

  /**
   * Request records that no operation binds, neither as the body of a controller's method, nor
   * through {@code BodyBinder}, nor as a part of such a body.
   */
  static SortedSet<String> unboundRequests(JavaClasses classes) {
    SortedSet<String> requests = new TreeSet<>();
    Set<JavaClass> bound = new TreeSet<>((a, b) -> a.getName().compareTo(b.getName()));
    for (JavaClass each : classes) {
      if (each.isRecord() && isWeb(each) && isRequest(each)) {
        requests.add(each.getName());
      }
      each.getMethods().forEach(method -> bound(method).forEach(type -> add(bound, type)));
    }
    bound.forEach(type -> requests.remove(type.getName()));
    return requests;
  }

  private static boolean isWeb(JavaClass type) {
    return type.getPackageName().matches(".*\\.web(\\..*)?");
  }

  /**
   * Response records with at least four components, and three quarters of their components, in a
   * record of their area, in the same form. A response is a view of a service or a value of the
   * domain, so such a record lists components again.
   */
  static SortedSet<String> copies(JavaClasses responses, JavaClasses values, String root) {
    List<Shape> originals =
        values.stream()
            .filter(value -> value.isRecord() && !isWeb(value))
            .map(value -> Shape.of(value, root))
            .toList();
    SortedSet<String> copies = new TreeSet<>();
    for (JavaClass each : returnedRecords(responses)) {
      Shape response = Shape.of(each, root);
      originals.stream()
          .filter(response::copies)
          .map(original -> response.name() + " copies " + original.name())
          .forEach(copies::add);
    }
    return copies;
  }

  /**
   * A record.
   *
   * @param parts names of the components with their types in JSON
   */
  private record Shape(String name, String area, SortedSet<String> parts) {
    private static Shape of(JavaClass type, String root) {
      String feature = ArchitectureRules.featureOf(type.getPackageName(), root);
      return new Shape(
          type.getName().replaceFirst(".*\\.", ""),
          feature.replaceFirst("\\..*", ""),
          BorderRules.parts(type));
    }

    private boolean copies(Shape original) {
      long common = parts.stream().filter(original.parts::contains).count();
      return area.equals(original.area)
          && common >= FEWEST_COMPONENTS
          && common >= MOST_COMPONENTS * parts.size();
    }
  }

  /** Records that operations return, as a whole or in part, and records with that name. */
  private static Set<JavaClass> returnedRecords(JavaClasses classes) {
    Set<JavaClass> returned = new TreeSet<>((a, b) -> a.getName().compareTo(b.getName()));
    for (JavaClass each : classes) {
      if (each.getSimpleName().endsWith("Controller")) {
        each.getMethods().stream()
            .filter(method -> !method.getModifiers().contains(JavaModifier.PRIVATE))
            .flatMap(method -> method.getReturnType().getAllInvolvedRawTypes().stream())
            .forEach(type -> add(returned, type));
      } else if (isWeb(each) && each.getName().contains(RESPONSE)) {
        add(returned, each);
      }
    }
    returned.removeIf(type -> !isWeb(type));
    return returned;
  }

  private static SortedSet<String> parts(JavaClass type) {
    SortedSet<String> parts = new TreeSet<>();
    type.getFields().stream()
        .filter(field -> !field.getModifiers().contains(JavaModifier.STATIC))
        .map(field -> field.getName() + " " + form(field))
        .forEach(parts::add);
    return parts;
  }

  private static String form(JavaField field) {
    JavaClass type = field.getRawType();
    boolean text =
        type.isAssignableTo("dev.fairlead.kernel.identity.Id")
            ? !SHOWN_BY_NAME.contains(type.getSimpleName())
            : type.isEquivalentTo(Duration.class) || type.getSimpleName().equals("Flavor");
    return text ? String.class.getName() : field.getType().getName();
  }

  private static boolean isRequest(JavaClass type) {
    return type.getSimpleName().endsWith(REQUEST)
        || type.getAnnotations().stream()
            .filter(each -> each.getRawType().getSimpleName().equals("Schema"))
            .flatMap(each -> each.get("name").stream())
            .anyMatch(name -> name.toString().endsWith(REQUEST));
  }

  private static Stream<JavaClass> bound(JavaMethod method) {
    Stream<JavaClass> bodies =
        method.getParameters().stream().filter(BorderRules::isBody).map(JavaParameter::getRawType);
    return Stream.concat(bodies, binds(method) ? named(method) : Stream.of());
  }

  private static boolean isBody(JavaParameter parameter) {
    return parameter.getAnnotations().stream()
        .anyMatch(each -> each.getRawType().getSimpleName().equals("RequestBody"));
  }

  private static boolean binds(JavaCodeUnit method) {
    return method.getMethodCallsFromSelf().stream()
        .anyMatch(call -> call.getTargetOwner().getSimpleName().equals("BodyBinder"));
  }

  private static Stream<JavaClass> named(JavaMethod method) {
    return method.getReferencedClassObjects().stream().map(ReferencedClassObject::getValue);
  }

  private static void add(Set<JavaClass> bound, JavaClass type) {
    if (type.isRecord() && bound.add(type)) {
      type.getFields()
          .forEach(part -> part.getType().getAllInvolvedRawTypes().forEach(of -> add(bound, of)));
    }
  }

  /** Sets of records of a feature that share most components with the first record. */
  static SortedSet<String> mirrors(JavaClasses classes, String root) {
    SortedMap<String, SortedMap<String, SortedSet<String>>> features = new TreeMap<>();
    for (JavaClass each : classes) {
      SortedSet<String> components = components(each);
      if (each.isRecord() && components.size() >= FEWEST_COMPONENTS) {
        String feature = ArchitectureRules.featureOf(each.getPackageName(), root);
        features
            .computeIfAbsent(feature, f -> new TreeMap<>())
            .put(each.getName().replaceFirst(".*\\.", ""), components);
      }
    }
    SortedSet<String> found = new TreeSet<>();
    features.forEach((feature, records) -> found.addAll(mirrors(feature, records)));
    return found;
  }

  private static List<String> mirrors(
      String feature, SortedMap<String, SortedSet<String>> records) {
    return records.values().stream()
        .map(one ->
            records.entrySet().stream()
                .filter(other -> share(one, other.getValue()))
                .map(java.util.Map.Entry::getKey)
                .toList())
        .filter(alike -> alike.size() > MIRRORS)
        .map(alike -> feature + ": " + String.join(" ", alike))
        .toList();
  }

  private static SortedSet<String> components(JavaClass type) {
    SortedSet<String> components = new TreeSet<>();
    type.getFields().stream()
        .filter(field -> !field.getModifiers().contains(JavaModifier.STATIC))
        .map(JavaField::getName)
        .forEach(components::add);
    return components;
  }

  private static boolean share(Collection<String> one, Collection<String> other) {
    long common = one.stream().filter(other::contains).count();
    return common >= MOST_COMPONENTS * Math.max(one.size(), other.size());
  }

  /** Returns the features with values stored as documents that have too many main files. */
  static List<String> largeResources(Collection<SourceFile> sources) {
    SortedMap<String, Integer> files = new TreeMap<>();
    SortedSet<String> documented = new TreeSet<>();
    for (SourceFile file : sources) {
      int at = file.path().indexOf(FEATURE);
      if (at >= 0 && !file.fileName().equals("package-info.java")) {
        String below = file.path().substring(at + FEATURE.length()).replace('/', '.');
        String feature = ArchitectureRules.featureOf("." + below, "");
        files.merge(feature, 1, Integer::sum);
        if (file.text().contains("new ConfigType<>(ConfigKind.")) {
          documented.add(feature);
        }
      }
    }
    return documented.stream()
        .filter(feature -> files.get(feature) > FILES_OF_A_RESOURCE)
        .map(feature -> feature + " has " + files.get(feature) + " main files")
        .toList();
  }

  /** Tolerated violations of a rule, one per line. The list may only shrink. */
  static SortedSet<String> tolerated(String name) {
    try {
      return new TreeSet<>(
          Files.readAllLines(
              ProductCode.root().resolve("api/src/test/resources/architecture").resolve(name)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
