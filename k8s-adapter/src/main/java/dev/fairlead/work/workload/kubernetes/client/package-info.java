/**
 * The way to an API server: what of a kubeconfig and which addresses are accepted, TLS, and the
 * client that all calls go through.
 */
@NullMarked
package dev.fairlead.work.workload.kubernetes.client;

import org.jspecify.annotations.NullMarked;
