/** Use cases of templates. */
@NullMarked
package dev.fairlead.work.template.service;

import org.jspecify.annotations.NullMarked;
