/** Projects, and who the caller is, over HTTP. */
@NullMarked
package dev.fairlead.tenant.web;

import org.jspecify.annotations.NullMarked;
