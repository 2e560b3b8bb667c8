/** The audit over HTTP. */
@NullMarked
package dev.fairlead.audit.web;

import org.jspecify.annotations.NullMarked;
