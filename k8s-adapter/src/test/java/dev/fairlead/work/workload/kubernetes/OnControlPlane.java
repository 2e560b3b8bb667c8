package dev.fairlead.work.workload.kubernetes;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The tests of the class use {@link KubernetesCluster}. The suite runs these tests of {@code api}
 * in one JVM, since control planes use CPU until the JVM that started them ends.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("control-plane")
@ExtendWith(KubernetesCluster.class)
public @interface OnControlPlane {}
