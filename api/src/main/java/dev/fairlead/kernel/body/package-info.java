/**
 * Request bodies: JSON and YAML, read strictly into a tree. Readers of fields collect all problems.
 */
@NullMarked
package dev.fairlead.kernel.body;

import org.jspecify.annotations.NullMarked;
