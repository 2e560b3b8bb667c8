/** Reports of use over HTTP. */
@NullMarked
package dev.fairlead.usage.web;

import org.jspecify.annotations.NullMarked;
