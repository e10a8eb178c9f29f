package check

import (
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// mediaPasses judge images, PDFs and audio: their limits, and where models meet them.
var mediaPasses = []Pass{
	{Code: "GG314", run: mediaLimits},
	{Code: "GG315", run: mediaPlaceholders},
	{Code: "GG316", run: mediaFromModels},
	{Code: "GG317", run: mediaJudged},
}

// mediaKinds are what the types of each kind begin with.
var mediaKinds = map[string]string{"image": "image/", "audio": "audio/"}

func mediaLimits(c *context) {
	known := spec.Names(spec.MediaTypes)
	for _, f := range c.fields() {
		s := f.Spec
		if unknown(f.Type) || !resolve.LimitsMedia(s) {
			continue
		}
		first := s.MaxBytes.Pos
		if !first.IsSet() {
			first = s.Media[0].Pos
		}
		kind := f.Type.AsMedia()
		if kind == nil {
			help := "leave it out"
			if k := f.Type.Base().Kind; k == resolve.Bytes {
				help = "bytes are bounded by max_length"
			}
			c.report(first, "field "+quote(f.Name)+" is "+article(f.Type.String())+": max_bytes and types are for an image, a pdf or audio", help)
			continue
		}
		if b := s.MaxBytes; b.IsSet() && !b.Lost && b.V <= 0 {
			c.report(b.Pos, "max_bytes has to be positive, and is "+strconv.Itoa(b.V), "leave it out for no bound")
		}
		if kind.Name == "pdf" && len(s.Media) > 0 {
			c.report(s.Media[0].Pos, "field "+quote(f.Name)+" is a pdf, which has one type", "leave types out")
			continue
		}
		begin := mediaKinds[kind.Name]
		fitting := slices.DeleteFunc(slices.Clone(known), func(w string) bool { return !strings.HasPrefix(w, begin) })
		for i, w := range s.Media {
			switch {
			case w.Lost:
			case slices.ContainsFunc(s.Media[:i], func(b spec.String) bool { return b.V == w.V }):
				c.report(w.Pos, quote(w.V)+" is among the types twice", diag.Remove("remove one"))
			case slices.Contains(known, w.V) && !slices.Contains(fitting, w.V):
				c.report(w.Pos, "field "+quote(f.Name)+" is "+article(kind.Name)+", which cannot have the type "+quote(w.V),
					listed("its types are among", fitting))
			case !slices.Contains(known, w.V):
				c.report(w.Pos, "there is no type "+quote(w.V)+" of "+kind.Name, didYouMean(w.V, fitting, listed("its types are among", fitting)))
			}
		}
	}
}

func mediaPlaceholders(c *context) {
	for _, n := range c.graph.All() {
		for p := range n.Pieces() {
			if p.Field == nil || !p.Field.Type.HoldsMedia() {
				continue
			}
			what := "is " + article(p.Field.Type.String())
			if p.Field.Type.AsMedia() == nil {
				what = "has media in " + p.Field.Type.MediaAt()
			}
			help := "write the name without braces: the node reads the field, so it is shown beside the text"
			if !slices.ContainsFunc(n.Spec.Reads, func(r spec.String) bool { return r.V == p.Name }) {
				help = "add it to reads, as in " + diag.Set("reads", "["+p.Name+"]") + ", and write the name without braces"
			}
			if n.Kind.Sends {
				help = "send it as a payload, as in " + diag.Set("payload", "{"+p.Name+": "+p.Name+"}")
			}
			c.report(p.Pos, "the placeholder names "+quote(p.Name)+", which "+what+": a text cannot show it", help)
		}
	}
}

func mediaFromModels(c *context) {
	const help = "let a func or a tool write it, from fields that the model fills"
	for _, n := range c.modelNodes() {
		if n.Kind.By != spec.ByModel || n.Out == nil || unknown(n.Out) || !n.Out.HoldsMedia() {
			continue
		}
		if out := n.Spec.Output; out != nil {
			c.report(out.Pos, "the output of prompt "+quote(n.Spec.Name.V)+" has media: a model gives text", help)
			continue
		}
		for _, w := range n.Writes {
			if w.To.Type.HoldsMedia() {
				c.report(w.Name.Pos,
					"prompt "+quote(n.Spec.Name.V)+" writes "+quote(w.To.Name)+", which is "+article(w.To.Type.String())+": a model gives text", help)
			}
		}
	}
	for _, t := range c.graph.Tools {
		offered := slices.ContainsFunc(c.graph.All(), func(n *resolve.Node) bool { return slices.Contains(n.Tools, t) })
		for _, f := range t.Args.Fields {
			if offered && f.Type.HoldsMedia() {
				c.report(f.Spec.Name.Pos,
					"argument "+quote(f.Name)+" of tool "+quote(t.Spec.Name.V)+" is "+article(f.Type.String())+": a model that calls it gives text",
					"let the tool find the media by a name or a number")
			}
		}
	}
	if m := c.graph.Mutations; m != nil && c.graph.Update != nil {
		asks := slices.ContainsFunc(c.graph.All(), func(n *resolve.Node) bool { return n.Asks && c.graph.Mutates(n) })
		for _, f := range c.graph.Update.Fields {
			if asks && f.Type.HoldsMedia() {
				c.report(f.Spec.Name.Pos,
					"a model may set "+quote(f.Name)+" with retry_with, which is "+article(f.Type.String())+": a model gives text", "remove it from update")
			}
		}
	}
}

func mediaJudged(c *context) {
	for _, n := range c.graph.All() {
		if n.Out == nil || unknown(n.Out) || !n.Out.HoldsMedia() {
			continue
		}
		judge := func(name, rule spec.String) {
			if rule.IsSet() {
				c.warn(rule.Pos, "the judge of "+quote(name.V)+" gets the type and the size of the media that node "+quote(n.Spec.Name.V)+
					" writes, and cannot see or hear it", "let a prompt read the field and give the verdict")
			}
		}
		for _, e := range n.Evals {
			judge(e.Spec.Name, e.Spec.Judge)
		}
		for _, g := range n.Guards {
			judge(g.Spec.Name, g.Spec.Judge)
		}
	}
}
