/** Clusters, nodes and capacity over HTTP. */
@NullMarked
package dev.fairlead.cluster.web;

import org.jspecify.annotations.NullMarked;
