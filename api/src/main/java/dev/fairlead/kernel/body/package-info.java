/**
 * Request bodies: JSON and YAML read strictly into one kind of tree, and fields read from it with
 * every problem collected.
 */
@NullMarked
package dev.fairlead.kernel.body;

import org.jspecify.annotations.NullMarked;
