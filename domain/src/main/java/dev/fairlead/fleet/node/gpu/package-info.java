/** GPUs of a node: identity and state. */
@NullMarked
package dev.fairlead.fleet.node.gpu;

import org.jspecify.annotations.NullMarked;
